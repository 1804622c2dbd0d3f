package contacts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/contacts"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/modalitytest"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

func bench() *modalitytest.Bench { return modalitytest.New(contacts.Kind()) }

// at gives the part of a dump at a path of names.
func at(t *testing.T, b *modalitytest.Bench, path ...string) any {
	t.Helper()
	v := modalitytest.Plain(t, b.Dump())
	for _, p := range path {
		m, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("no object at %v", path)
		}
		v = m[p]
	}
	return v
}

func expect(t *testing.T, b *modalitytest.Bench, want string, path ...string) {
	t.Helper()
	if diff := cmp.Diff(modalitytest.Plain(t, want), at(t, b, path...)); diff != "" {
		t.Errorf("%v (-want +got):\n%s", path, diff)
	}
}

// book has three people: a, b and c.
const book = `{"modality_type":"contacts","last_updated":"2025-01-15T08:00:00","update_count":4,"more":1,"contacts":{
	"a":{"contact_id":"a","first_name":"Ann","last_name":"Ames","nickname":"Annie","company":"Acme","birthday":"1990-02-28","notes":"likes tea","more":1,
		"identifiers":[{"identifier_type":"email","value":"ann@x.io"},{"identifier_type":"phone","value":"+15550100001","label":"home"}],
		"addresses":[{"street":"S 1","city":"C"}],"groups":["work","family","work"],"created_at":"2025-01-01T00:00:00","updated_at":"2025-01-02T00:00:00+02:00"},
	"b":{"display_name":"Bob B.","identifiers":[{"identifier_type":"email","value":"bob@x.io"}],"addresses":[{"street":"S 1","city":"C"},{"country":"CH"}],
		"job_title":"Baker","is_favorite":true,"groups":["family"],"created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-03T00:00:00Z"},
	"c":{"contact_id":"c","identifiers":[{"identifier_type":"phone","value":"(555) 010-0003"}],"is_blocked":true,
		"created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-04T00:00:00Z"}}}`

func loaded(t testing.TB) *modalitytest.Bench {
	t.Helper()
	return modalitytest.Load(t, contacts.Kind(), book)
}

func TestLoad(t *testing.T) {
	t.Parallel()
	b := loaded(t)
	modalitytest.Reloaded(t, b)
	expect(t, b, `{"contact_id":"a","first_name":"Ann","last_name":"Ames","display_name":null,"nickname":"Annie",
		"identifiers":[{"identifier_type":"email","value":"ann@x.io","label":null},{"identifier_type":"phone","value":"+15550100001","label":"home"}],
		"company":"Acme","job_title":null,"addresses":[{"street":"S 1","city":"C","state":null,"postal_code":null,"country":null,"label":null}],
		"birthday":"1990-02-28","notes":"likes tea","photo_url":null,"is_favorite":false,"is_blocked":false,"groups":["family","work"],
		"created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-02T00:00:00+02:00"}`, "contacts", "a")
	expect(t, b, `"b"`, "contacts", "b", "contact_id")
	expect(t, b, `[{"identifier_type":"phone","value":"(555) 010-0003","label":null}]`, "contacts", "c", "identifiers")
	expect(t, b, "4", "update_count")
}

func TestBadStates(t *testing.T) {
	t.Parallel()
	contact := func(more string) string {
		return `{"last_updated":0,"contacts":{"x":{"created_at":0,"updated_at":0` + more + `}}}`
	}
	for _, c := range []struct{ doc, want string }{
		{`{}`, "last_updated: Field required"},
		{`{"last_updated":0,"modality_type":"email"}`, "modality_type: Input should be 'contacts'"},
		{`{"last_updated":0,"contacts":{"x":{"created_at":0}}}`, "contacts.x.updated_at: Field required"},
		{`{"last_updated":0,"contacts":[]}`, "contacts: Input should be a valid dictionary"},
		{contact(`,"birthday":"1990-02-30"`), "contacts.x.birthday: Input should be a valid date or datetime, day value is outside expected range"},
		{contact(`,"identifiers":[{"identifier_type":"email","value":"nobody"}]`), "contacts.x.identifiers.0.value: Value error, Invalid email address: nobody"},
		{contact(`,"identifiers":[{"identifier_type":" ","value":"v"}]`), "contacts.x.identifiers.0.identifier_type: Value error, Identifier type cannot be empty"},
		{contact(`,"identifiers":[{"identifier_type":"x","value":"\t"}]`), "contacts.x.identifiers.0.value: Value error, Identifier value cannot be empty"},
		{contact(`,"groups":[1]`), "contacts.x.groups.0: Input should be a valid string"},
	} {
		_, errs := contacts.Load(modalitytest.MustObject(c.doc), bench().Moment())
		if len(errs) == 0 || errs[0].Error() != c.want {
			t.Errorf("%s: %v, want %s", c.doc, errs, c.want)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	mail := func(s string) string { return `[{"identifier_type":"email","value":"` + s + `"}]` }
	for _, c := range []struct{ payload, want string }{
		{`{"operation":"create_contact"}`, "Operation 'create_contact' requires at least one identifier"},
		{`{"operation":"create_contact","identifiers":[]}`, "Operation 'create_contact' requires at least one identifier"},
		{`{"operation":"create_contact","identifiers":` + mail("bob@x.io") + `}`, "Identifier email:bob@x.io already belongs to contact b (Bob B.)"},
		{`{"operation":"create_contact","identifiers":` + mail("bob") + `}`, "decode: identifiers.0.value: Value error, Invalid email address: bob"},
		{`{"operation":"create_contact","identifiers":[{"value":"v"}]}`, "decode: identifiers.0.identifier_type: Field required"},
		{`{"operation":"update_contact"}`, "Operation 'update_contact' requires contact_id"},
		{`{"operation":"update_contact","contact_id":""}`, "Operation 'update_contact' requires contact_id"},
		{`{"operation":"update_contact","contact_id":"no"}`, "Contact not found: no"},
		{`{"operation":"update_contact","contact_id":"a","identifiers":` + mail("bob@x.io") + `}`, "Identifier email:bob@x.io already belongs to contact b (Bob B.)"},
		{`{"operation":"update_contact","contact_id":"b","add_identifiers":` + mail("ann@x.io") + `}`, "Identifier email:ann@x.io already belongs to contact a (Ann Ames)"},
		{`{"operation":"update_contact","contact_id":"a","add_identifiers":` + mail("ann@x.io") + `}`, "Contact already has identifier email:ann@x.io"},
		{`{"operation":"update_contact","contact_id":"a","company":"C","identifiers":[]}`, "Contact must have at least one identifier"},
		{`{"operation":"update_contact","contact_id":"b","remove_identifiers":` + mail("bob@x.io") + `}`, "Contact must have at least one identifier"},
		{`{"operation":"delete_contact"}`, "Operation 'delete_contact' requires contact_id"},
		{`{"operation":"delete_contact","contact_id":"no"}`, "Contact not found: no"},
		{`{"operation":"block_contact"}`, "Operation 'block_contact' requires contact_id"},
		{`{"operation":"unblock_contact","contact_id":"no"}`, "Contact not found: no"},
		{`{"operation":"favorite_contact"}`, "Operation 'favorite_contact' requires contact_id"},
		{`{"operation":"unfavorite_contact","contact_id":"no"}`, "Contact not found: no"},
		{`{"operation":"add_to_group","contact_id":"a"}`, "Operation 'add_to_group' requires group_name"},
		{`{"operation":"remove_from_group","group_name":"g"}`, "Operation 'remove_from_group' requires contact_id"},
		{`{"operation":"add_to_group","contact_id":"no","group_name":"g"}`, "Contact not found: no"},
		{`{"operation":"merge_contacts","secondary_contact_id":"a"}`, "Operation 'merge_contacts' requires primary_contact_id"},
		{`{"operation":"merge_contacts","primary_contact_id":"a"}`, "Operation 'merge_contacts' requires secondary_contact_id"},
		{`{"operation":"merge_contacts","primary_contact_id":"a","secondary_contact_id":"a"}`, "primary_contact_id and secondary_contact_id must be different"},
		{`{"operation":"merge_contacts","primary_contact_id":"no","secondary_contact_id":"a"}`, "Contact not found: no"},
		{`{"operation":"merge_contacts","primary_contact_id":"a","secondary_contact_id":"no"}`, "Contact not found: no"},
		{`{}`, "decode: operation: Field required"},
		{`{"operation":"eat"}`, "decode: operation: Input should be 'create_contact', 'update_contact', 'delete_contact', 'block_contact', 'unblock_contact', " +
			"'favorite_contact', 'unfavorite_contact', 'add_to_group', 'remove_from_group' or 'merge_contacts'"},
		{`{"operation":"update_contact","contact_id":"a","addresses":[1]}`, "decode: addresses.0: Input should be a valid dictionary or object to extract fields from"},
		{`{"operation":"update_contact","contact_id":"a","is_favorite":"maybe"}`, "decode: is_favorite: Input should be a valid boolean, unable to interpret input"},
	} {
		b := loaded(t)
		before := b.Dump()
		if err := b.Apply(c.payload); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.payload, err, c.want)
		}
		if b.Dump() != before || len(b.Undos) > 0 {
			t.Errorf("%s: changed the state", c.payload)
		}
	}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	b := bench()
	before := b.Dump()
	b.MustApply(t, `{"operation":"create_contact","contact_id":"mine","timestamp":"2025-01-15T08:00:00Z","first_name":"Zoe","birthday":"2000-12-31",
		"identifiers":[{"identifier_type":"phone","value":"(555) 010-0009","label":"cell"},{"identifier_type":"handle","value":"@zoe"}],
		"addresses":[{"city":"Bern","more":1}],"groups":["z","a","z"],"is_blocked":true}`)
	expect(t, b, `{"id-2":{"contact_id":"id-2","first_name":"Zoe","last_name":null,"display_name":null,"nickname":null,
		"identifiers":[{"identifier_type":"phone","value":"+15550100009","label":"cell"},{"identifier_type":"handle","value":"@zoe","label":null}],
		"company":null,"job_title":null,"addresses":[{"street":null,"city":"Bern","state":null,"postal_code":null,"country":null,"label":null}],
		"birthday":"2000-12-31","notes":null,"photo_url":null,"is_favorite":false,"is_blocked":true,"groups":["a","z"],
		"created_at":"2025-01-15T08:00:00Z","updated_at":"2025-01-15T08:00:00Z"}}`, "contacts")
	want := `{"modality_type":"contacts","timestamp":"2025-01-15T08:00:00Z","input_id":"id-1","operation":"create_contact","contact_id":"id-2","first_name":"Zoe",` +
		`"last_name":null,"display_name":null,"nickname":null,"identifiers":[{"identifier_type":"phone","value":"+15550100009","label":"cell"},` +
		`{"identifier_type":"handle","value":"@zoe","label":null}],"add_identifiers":null,"remove_identifiers":null,"company":null,"job_title":null,` +
		`"addresses":[{"street":null,"city":"Bern","state":null,"postal_code":null,"country":null,"label":null}],"add_addresses":null,"remove_addresses":null,` +
		`"birthday":"2000-12-31","notes":null,"photo_url":null,"is_favorite":null,"is_blocked":true,"groups":["z","a","z"],"add_groups":null,"remove_groups":null,` +
		`"group_name":null,"primary_contact_id":null,"secondary_contact_id":null}`
	if got := string(b.Last.AppendJSON(nil)); got != want {
		t.Errorf("written back:\n got %s\nwant %s", got, want)
	}
	after, in := b.Dump(), b.Last
	if action := b.Undo(t); action != "delete_contact" || b.Dump() != before {
		t.Errorf("undo: %s, %s", action, b.Dump())
	}
	b.Act("contacts", in, "")
	if b.Dump() != after {
		t.Errorf("redo:\n%s\nwant\n%s", b.Dump(), after)
	}
}

// TestChanges performs one operation after the other and then takes all of them back.
func TestChanges(t *testing.T) {
	t.Parallel()
	b := loaded(t)
	steps := []struct {
		payload, action string
		want            map[string]string // dotted path below contacts to JSON
	}{
		{
			`"operation":"update_contact","contact_id":"a","first_name":"Anna","nickname":null,"company":"","birthday":"1991-01-01"`, "restore_contact",
			map[string]string{
				"a.first_name": `"Anna"`, "a.nickname": `"Annie"`, "a.company": `""`, "a.birthday": `"1991-01-01"`, "a.last_name": `"Ames"`,
				"a.updated_at": `"2025-01-15T09:00:00Z"`, "a.created_at": `"2025-01-01T00:00:00Z"`,
			},
		},
		{
			`"operation":"update_contact","contact_id":"a","add_identifiers":[{"identifier_type":"x","value":"1"}],"remove_identifiers":[
				{"identifier_type":"phone","value":"555-010-0001","label":"other"},{"identifier_type":"x","value":"none"}]`, "restore_contact",
			map[string]string{"a.identifiers": `[{"identifier_type":"email","value":"ann@x.io","label":null},{"identifier_type":"x","value":"1","label":null}]`},
		},
		{
			`"operation":"update_contact","contact_id":"c","identifiers":[{"identifier_type":"phone","value":"555-010-0001"}]`, "restore_contact",
			map[string]string{"c.identifiers": `[{"identifier_type":"phone","value":"+15550100001","label":null}]`},
		},
		{
			`"operation":"update_contact","contact_id":"b","add_addresses":[{"label":"l"}],"remove_addresses":[{"city":"C","street":"S 1"},{"city":"C"}]`, "restore_contact",
			map[string]string{"b.addresses": `[{"street":null,"city":null,"state":null,"postal_code":null,"country":"CH","label":null},
				{"street":null,"city":null,"state":null,"postal_code":null,"country":null,"label":"l"}]`},
		},
		{
			`"operation":"update_contact","contact_id":"b","addresses":[],"groups":["q","p"],"add_groups":["r","p"],"remove_groups":["q","no"],"is_favorite":false`,
			"restore_contact",
			map[string]string{"b.addresses": `[]`, "b.groups": `["p","r"]`, "b.is_favorite": "false"},
		},
		{`"operation":"update_contact","contact_id":"b"`, "restore_contact", map[string]string{"b.display_name": `"Bob B."`}},
		{`"operation":"block_contact","contact_id":"a"`, "restore_blocked_state", map[string]string{"a.is_blocked": "true"}},
		{`"operation":"unblock_contact","contact_id":"c"`, "restore_blocked_state", map[string]string{"c.is_blocked": "false", "c.updated_at": `"2025-01-15T09:00:00Z"`}},
		{`"operation":"favorite_contact","contact_id":"a"`, "restore_favorite_state", map[string]string{"a.is_favorite": "true"}},
		{`"operation":"unfavorite_contact","contact_id":"b"`, "restore_favorite_state", map[string]string{"b.is_favorite": "false"}},
		{`"operation":"add_to_group","contact_id":"a","group_name":"m"`, "restore_group_membership", map[string]string{"a.groups": `["family","m","work"]`}},
		{`"operation":"add_to_group","contact_id":"a","group_name":"m"`, "restore_group_membership", map[string]string{"a.groups": `["family","m","work"]`}},
		{`"operation":"remove_from_group","contact_id":"a","group_name":"family"`, "restore_group_membership", map[string]string{"a.groups": `["m","work"]`}},
		{`"operation":"remove_from_group","contact_id":"c","group_name":"no"`, "restore_group_membership", map[string]string{"c.groups": `[]`}},
		{`"operation":"delete_contact","contact_id":"b"`, "restore_contact", map[string]string{"b": "null"}},
		{
			`"operation":"create_contact","identifiers":[{"identifier_type":"email","value":"bob@x.io"},{"identifier_type":"email","value":"bob@x.io"}]`, "delete_contact",
			map[string]string{},
		},
		{`"operation":"merge_contacts","primary_contact_id":"c","secondary_contact_id":"a"`, "unmerge_contacts", map[string]string{"a": "null"}},
	}
	var dumps []string
	for _, s := range steps {
		dumps = append(dumps, b.Dump())
		b.MustApply(t, "{"+s.payload+"}")
		for path, want := range s.want {
			expect(t, b, want, append([]string{"contacts"}, strings.Split(path, ".")...)...)
		}
	}
	expect(t, b, fmt.Sprint(4+len(steps)), "update_count")
	if got := b.State.Problems(); got != nil {
		t.Errorf("problems %v", got)
	}
	for i, step := range slices.Backward(steps) {
		if action := b.Undo(t); action != step.action {
			t.Errorf("undo of %s: action %s, want %s", step.payload, action, step.action)
		}
		if diff := cmp.Diff(dumps[i], b.Dump()); diff != "" {
			t.Errorf("undo of %s (-want +got):\n%s", step.payload, diff)
		}
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	b := loaded(t)
	b.MustApply(t, `{"operation":"favorite_contact","contact_id":"a"}`)
	b.MustApply(t, `{"operation":"merge_contacts","primary_contact_id":"b","secondary_contact_id":"a","timestamp":"2025-01-15T10:00:00Z"}`)
	expect(t, b, `{"contact_id":"b","first_name":"Ann","last_name":"Ames","display_name":"Bob B.","nickname":"Annie",
		"identifiers":[{"identifier_type":"email","value":"bob@x.io","label":null},{"identifier_type":"email","value":"ann@x.io","label":null},
		{"identifier_type":"phone","value":"+15550100001","label":"home"}],"company":"Acme","job_title":"Baker",
		"addresses":[{"street":"S 1","city":"C","state":null,"postal_code":null,"country":null,"label":null},
		{"street":null,"city":null,"state":null,"postal_code":null,"country":"CH","label":null}],
		"birthday":"1990-02-28","notes":"likes tea","photo_url":null,"is_favorite":true,"is_blocked":false,"groups":["family","work"],
		"created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-15T10:00:00Z"}`, "contacts", "b")
	expect(t, b, "null", "contacts", "a")
	err := b.Apply(`{"operation":"create_contact","identifiers":[{"identifier_type":"email","value":"ann@x.io"}]}`)
	if err == nil || err.Error() != "Identifier email:ann@x.io already belongs to contact b (Bob B.)" {
		t.Errorf("an identifier of a merged contact: %v", err)
	}
}

// TestIdentifiersAreFreed checks that what a contact lost can be given to another, and
// not any more after an undo.
func TestIdentifiersAreFreed(t *testing.T) {
	t.Parallel()
	create := `{"operation":"create_contact","identifiers":[{"identifier_type":"email","value":"ann@x.io"}]}`
	for _, loss := range []string{
		`{"operation":"delete_contact","contact_id":"a"}`,
		`{"operation":"update_contact","contact_id":"a","remove_identifiers":[{"identifier_type":"email","value":"ann@x.io"}]}`,
		`{"operation":"update_contact","contact_id":"a","identifiers":[{"identifier_type":"email","value":"other@x.io"}]}`,
	} {
		b := loaded(t)
		b.MustApply(t, loss)
		b.MustApply(t, create)
		b.Undo(t)
		b.Undo(t)
		if err := b.Apply(create); err == nil || err.Error() != "Identifier email:ann@x.io already belongs to contact a (Ann Ames)" {
			t.Errorf("after undoing %s: %v", loss, err)
		}
	}
	b := bench()
	b.MustApply(t, `{"operation":"create_contact","identifiers":[{"identifier_type":"a","value":"b:c"}]}`)
	b.MustApply(t, `{"operation":"create_contact","identifiers":[{"identifier_type":"a:b","value":"c"}]}`)
}

func TestDisplayNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ person, want string }{
		{`"display_name":"D","first_name":"F","last_name":"L","nickname":"N"`, "D"},
		{`"display_name":"","first_name":"F","last_name":"L","nickname":"N"`, "F L"},
		{`"first_name":"F","nickname":"N"`, "F"},
		{`"last_name":"L"`, "L"},
		{`"nickname":"N"`, "N"},
		{`"nickname":"","first_name":" "`, "v"},
	} {
		b := bench()
		b.MustApply(t, `{"operation":"create_contact","identifiers":[{"identifier_type":"x","value":"v"}],`+c.person+`}`)
		err := b.Apply(`{"operation":"create_contact","identifiers":[{"identifier_type":"x","value":"v"}]}`)
		if err == nil || !strings.HasSuffix(err.Error(), "("+c.want+")") {
			t.Errorf("%s: %v, want %s", c.person, err, c.want)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	person := `"created_at":0,"updated_at":0,"identifiers":[{"identifier_type":"x","value":"v"},{"identifier_type":"x","value":"v"}]`
	b := modalitytest.Load(t, contacts.Kind(), `{"last_updated":0,"contacts":{"a":{`+person+`},"b":{"created_at":0,"updated_at":0},"c":{`+person+`}}}`)
	want := []string{
		"Contact b has no identifiers", "Identifier x:v is shared by contacts a and c", "Identifier x:v is shared by contacts a and c",
	}
	if diff := cmp.Diff(want, b.State.Problems()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	b.MustApply(t, `{"operation":"favorite_contact","contact_id":"a"}`)
	b.MustApply(t, `{"operation":"delete_contact","contact_id":"a"}`)
	b.MustApply(t, `{"operation":"update_contact","contact_id":"b","add_identifiers":[{"identifier_type":"y","value":"v"}]}`)
	if got := b.State.Problems(); got != nil {
		t.Errorf("problems that are gone: %v", got)
	}
	for range 3 {
		b.Undo(t)
	}
	if diff := cmp.Diff(want, b.State.Problems()); diff != "" {
		t.Errorf("problems after undoing (-want +got):\n%s", diff)
	}
	if got := loaded(t).State.Problems(); got != nil {
		t.Errorf("problems of a good book: %v", got)
	}
}

func TestClear(t *testing.T) {
	t.Parallel()
	b := loaded(t)
	b.State.Clear(b.Moment())
	if got, want := b.Dump(), bench().Dump(); got != want {
		t.Errorf("cleared %s, want %s", got, want)
	}
	b.MustApply(t, `{"operation":"create_contact","identifiers":[{"identifier_type":"email","value":"ann@x.io"}]}`)
	if undo, err := b.State.Apply(nil, b.Moment()); err == nil || undo != nil {
		t.Errorf("a payload of nothing was applied: %v", err)
	}
}

func TestReversible(t *testing.T) {
	t.Parallel()
	ids := rapid.SampledFrom([]string{"a", "b", "c", "id-2", "id-4", "no"})
	list := func(t *rapid.T, name string, item func(t *rapid.T) string) string {
		n := rapid.IntRange(-2, 2).Draw(t, name)
		if n < 0 {
			return fmt.Sprintf(`,%q:null`, name)
		}
		items := make([]string, n)
		for i := range items {
			items[i] = item(t)
		}
		return fmt.Sprintf(`,%q:[%s]`, name, strings.Join(items, ","))
	}
	identifier := func(t *rapid.T) string {
		return fmt.Sprintf(`{"identifier_type":"email","value":%q}`, rapid.SampledFrom([]string{"ann@x.io", "bob@x.io", "1@x.io", "2@x.io", "3@x.io"}).Draw(t, "value"))
	}
	address := func(t *rapid.T) string {
		return fmt.Sprintf(`{"city":"C","street":%q}`, rapid.SampledFrom([]string{"S 1", "S 2"}).Draw(t, "street"))
	}
	name := func(t *rapid.T) string {
		return fmt.Sprintf("%q", rapid.SampledFrom([]string{"family", "work", "x", "y"}).Draw(t, "group"))
	}
	draw := func(t *rapid.T) string {
		p := fmt.Sprintf(`{"operation":%q,"contact_id":%q,"primary_contact_id":%q,"secondary_contact_id":%q,"group_name":%s,"nickname":%s`,
			rapid.SampledFrom([]string{
				"create_contact", "update_contact", "delete_contact", "block_contact", "unblock_contact", "favorite_contact", "unfavorite_contact",
				"add_to_group", "remove_from_group", "merge_contacts",
			}).Draw(t, "operation"),
			ids.Draw(t, "id"), ids.Draw(t, "primary"), ids.Draw(t, "secondary"), name(t), rapid.SampledFrom([]string{"null", `"n"`}).Draw(t, "nickname"))
		for _, prefix := range []string{"", "add_", "remove_"} {
			p += list(t, prefix+"identifiers", identifier) + list(t, prefix+"addresses", address) + list(t, prefix+"groups", name)
		}
		return p + "}"
	}
	for name, open := range map[string]func(testing.TB) *modalitytest.Bench{"empty": func(testing.TB) *modalitytest.Bench { return bench() }, "book": loaded} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modalitytest.Reversible(t, open, draw)
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(book)
	f.Add(`{"operation":"create_contact","timestamp":0,"birthday":"2000-12-31","identifiers":[{"identifier_type":"phone","value":"555"}],"addresses":[{"city":"Bern"}],"groups":["z"]}`)
	f.Add(`{"operation":"merge_contacts","timestamp":0,"primary_contact_id":"a","secondary_contact_id":"b"}`)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := ordered.ParseObject([]byte(text))
		if err != nil {
			return
		}
		b := loaded(t)
		if in, errs := contacts.Decode(doc, b.Moment()); len(errs) == 0 {
			reread(t, in)
			if in.Check() == nil {
				_, _ = b.State.Apply(in, b.Moment())
				modalitytest.Reloaded(t, b)
			}
		}
		if s, errs := contacts.Load(doc, b.Moment()); len(errs) == 0 {
			b.State = s
			s.Problems()
			s.AppendCompact(nil, b.Moment())
			modalitytest.Reloaded(t, b)
		}
	})
}

// reread checks that a payload that was written decodes to the same payload.
func reread(t *testing.T, in modality.Input) {
	t.Helper()
	text := string(in.AppendJSON(nil))
	again, errs := contacts.Decode(modalitytest.MustObject(text), bench().Moment())
	if len(errs) > 0 {
		t.Fatalf("%v in %s", errs, text)
	}
	if got := string(again.AppendJSON(nil)); got != text {
		t.Errorf("reread %s\ngave %s", text, got)
	}
}

// BenchmarkCreate makes a contact and takes that back, in a small book and in a large one.
func BenchmarkCreate(b *testing.B) {
	for _, size := range []int{100, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			world := bench()
			m := world.Moment()
			person := func(n int) modality.Input {
				return &contacts.Input{
					Head: modality.NewHead(m), Operation: "create_contact",
					Identifiers: []contacts.Identifier{{Type: "handle", Value: fmt.Sprint(n)}},
				}
			}
			for n := range size {
				if _, err := world.State.Apply(person(n), m); err != nil {
					b.Fatal(err)
				}
			}
			in := person(size)
			b.ReportAllocs()
			for b.Loop() {
				undo, err := world.State.Apply(in, m)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := undo(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
