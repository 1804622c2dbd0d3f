// Package display is the node type display: it turns a frame, the data that some work
// left to be shown, into a block, the description of one piece of an interface. It is
// pure: the same frame gives the same block, nothing is written, and the frame is never
// modified. What a spec can change is data: which types of block there are, what shapes
// they take, where they stand, and every word.
//
//	display:
//	  frame: "{{ frame }}"             # {data, display_type, display_name, source, chart_type, table_id, …} or null
//	  hint: "{{ hint }}"               # type of block that the text would like; may be absent, null or ""
//	  previous: "{{ shown }}"          # {flow_id, block_id} of the block on the panel; may be absent or null
//	  tables: "{{ resolvable }}"       # ids that can be paged; absent or null: every id can
//	  block_id: "{{ flow.id }}"        # id of a new block; made from the flow's id, or the place, when absent or ""
//	  settings: {page_size: 512, …}    # or an expression that gives the map; see Settings
//
// Another form checks a block that is shown (the checks after rendering):
//
//	display: {check: "{{ block }}", source_rows: 900, limit: 512, degraded: false}
//
// whose output is {failed: [name, …]}.
//
// # The frame
//
// What is read of it: data, display_type, chart_type, display_name, source, table_id,
// row_count (rows in the source, of which data may be the first page), columns (names,
// or {key, label}, in order), labels (words by field), flow_id, level (of a toast), axes
// ({x, y, series}: fields; y may be a list) and colors of a chart, and the markers of
// degradation (error, warning, limitation, degradation; see Settings).
//
// # The output
//
//	block        the block, or null when there is none to show
//	block_id     the id of the block that is meant, shown or not; null without a frame
//	render       "create", "update" (the same flow as previous: its block_id is kept), or null without a frame
//	panel_ref    words for where the block is ("on the right"); "" when it is inline or there is none
//	placement    "panel", "inline", or null when there is no block
//	failed       names of the checks that failed, in the order below
//	degraded     whether something could not be shown as it was asked for
//	limitations  [{reason, text}]: what could not be shown and why; texts are for people
//
// The checks: frame_present, required_attributes, chart_type_supported,
// pagination_resolvable (before), block_rendered, truncation_bounded,
// degradation_visible (after). The first two leave no block.
//
// # The block
//
// Always: block_id, type, inline, placement, title, display_name, display_type, source,
// rows (how many records are in the block), total (in the source; null when not known),
// truncated (the block has less than the source), notice (words that say so, or ""),
// pagination (null or {table_id, page, page_size, pages, total, has_more, load_more:
// {table_id, offset, limit} or null}), degraded, limitation (true when there are
// limitations), limitations, and flow_id, which is null when the frame has none.
//
// By type, beside those:
//
//	table         columns [{key, label, kind}], data [row, …]: the first page
//	chart         chart_type, spec (Vega-Lite with its data), svg (a picture, or null), summary (words), and the figures:
//	              x {label, kind, values}, y {label}, series [{name, values}], colors
//	list          items [{text, detail}], data
//	card          fields [{key, label, value}], text
//	form          fields [{name, label, input, required, value, options [{value, label}], min, max, step, placeholder, description}], submit (label)
//	confirmation  text, actions [{id, label}]
//	toast         text, level
//	others        text (of a text), items (of a list), fields (of an object), or columns and data (of rows)
//
// The kind of a column is number, boolean, text or other; that of x is category, number
// or time. data is shared with the frame, not copied.
//
// # Settings
//
// What a spec does not set holds as given here; [defaults] has it all. Unknown names are
// left alone when settings are computed, so that a section of a configuration can be given.
//
//	page_size     512: records of a block, 1 to 10000
//	chart_types   [bar, line]: what frames may ask for, of area, bar, stack, scatter and line
//	type_map      {Default: table, Derived: table, Dynamic: list, Decision: form, Pivot: table}; replaced as a whole
//	accepts       {table: [rows], list: [items, rows], card: [object, text], …}: shapes by type of block; a spec adds types of its own here
//	by_shape      {rows: table, items: list, object: card, text: card}: for display types that type_map does not have
//	inline_types  [toast, progress, loading, confirmation]; all others stand on the panel
//	panel_ref     on the right
//	markers       [error, warning, limitation, degradation]: attributes by which a frame tells of its limitations
//	inputs        {freetext: textarea, category: radio, …}: input by type of slot; FreeTextSlot and free_text are the same
//	levels        [info, success, warning, error]: of a toast
//	axis_names    [x, date, year, …]: numbers that go across a chart when there is nothing better
//	colors        of the series, #rrggbb or #rgb
//	svg           true: charts come with a picture
//	reasons       wordings of limitations, by reason: the checks, and type, chart_data, chart_svg, series, columns, fields, options, frame
//	labels        other words: truncated, truncated_open, submit, confirm, cancel, yes, no, value, count, index, choice, frame, summary
//
// In wordings {name} stands for a value: chart_type, block, shown, total, missing,
// display_type, detail; in summary chart_type, series, x and points.
package display
