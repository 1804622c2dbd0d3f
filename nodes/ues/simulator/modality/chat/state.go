package chat

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// defaultHistory is the number of messages a conversation keeps.
const defaultHistory = 1000

// Message is one contribution to a conversation. It does not change.
type Message struct {
	ID, ConversationID string
	Role               string
	Content            any
	At                 field.Time
	Metadata           *ordered.Map

	place uint64 // rank of arrival
}

// Conversation is what is known of a conversation besides its messages.
type Conversation struct {
	ID            string
	CreatedAt     field.Time
	LastMessageAt field.Time
	MessageCount  int
	roles         map[string]struct{}
}

// State are all conversations.
type State struct {
	modality.Stamp
	conversations ordered.Table[*Conversation]
	limit         int
	fallback      string // default_conversation_id

	history map[string][]*Message // by conversation id, in order of time and arrival
	byID    map[string][]*Message // in order of arrival; more than one only when payloads repeat an id
	places  uint64

	// shown is the order in which the messages are shown when that is not the order of
	// time: a scenario came so, or a query without a filter has sorted them, as it does in
	// the original. The next change that is no removal ends it.
	shown []*Message
}

// New makes a state without conversations.
func New(m modality.Moment) modality.State {
	s := &State{limit: defaultHistory, fallback: defaultConversation}
	s.Clear(m)
	return s
}

// Clear removes all conversations.
func (s *State) Clear(m modality.Moment) {
	*s = State{
		Stamp: modality.Stamp{LastUpdated: m.Now}, limit: s.limit, fallback: s.fallback,
		history: map[string][]*Message{}, byID: map[string][]*Message{},
	}
}

// compareTime orders messages by time, then by arrival. (The original orders those of the
// same time by their random ids.)
func compareTime(a, b *Message) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.place, b.place))
}

func comparePlace(a, b *Message) int { return cmp.Compare(a.place, b.place) }

// messages are all messages in the order in which they are shown.
func (s *State) messages() []*Message {
	if s.shown != nil {
		return slices.Clone(s.shown)
	}
	all := make([]*Message, 0, s.count())
	for _, list := range s.history {
		all = append(all, list...)
	}
	if len(s.history) > 1 {
		slices.SortFunc(all, compareTime)
	}
	return all
}

func (s *State) count() int {
	n := 0
	for _, list := range s.history {
		n += len(list)
	}
	return n
}

// put and drop add a message and take one out.
func (s *State) put(m *Message) {
	list := s.history[m.ConversationID]
	i, _ := slices.BinarySearchFunc(list, m, compareTime)
	s.history[m.ConversationID] = slices.Insert(list, i, m)
	same := s.byID[m.ID]
	i, _ = slices.BinarySearchFunc(same, m, comparePlace)
	s.byID[m.ID] = slices.Insert(same, i, m)
}

func (s *State) drop(m *Message) {
	list := s.history[m.ConversationID]
	i, found := slices.BinarySearchFunc(list, m, compareTime)
	switch {
	case !found:
		return
	case len(list) == 1:
		delete(s.history, m.ConversationID)
	case i == 0:
		list[0] = nil
		s.history[m.ConversationID] = list[1:]
	default:
		s.history[m.ConversationID] = slices.Delete(list, i, i+1)
	}
	same := s.byID[m.ID]
	if i, found = slices.BinarySearchFunc(same, m, comparePlace); found && len(same) > 1 {
		s.byID[m.ID] = slices.Delete(same, i, i+1)
	} else {
		delete(s.byID, m.ID)
	}
	s.shown = slices.DeleteFunc(s.shown, func(x *Message) bool { return x == m })
}

// AppendJSON writes the state of contract section 6.3.
func (s *State) AppendJSON(dst []byte) []byte {
	o := s.Open(dst, name)
	o.Member("messages", s.appendMessages)
	o.Member("conversations", s.appendConversations)
	o.Int("max_history_size", s.limit)
	o.String("default_conversation_id", s.fallback)
	return o.Close()
}

func (s *State) appendMessages(dst []byte) []byte {
	return modality.AppendArray(dst, s.messages(), func(dst []byte, m *Message) []byte { return m.appendJSON(dst) })
}

func (s *State) appendConversations(dst []byte) []byte {
	o := jsontext.Open(dst)
	for id, c := range s.conversations.All() {
		o.Key(id)
		o.Write(c.appendJSON)
	}
	return o.Close()
}

func (m *Message) appendJSON(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.String("message_id", m.ID)
	o.String("conversation_id", m.ConversationID)
	o.String("role", m.Role)
	o.Member("content", func(dst []byte) []byte { return ordered.Append(dst, m.Content) })
	o.Member("timestamp", m.At.JSON)
	o.Member("metadata", m.Metadata.AppendJSON)
	return o.Close()
}

func (c *Conversation) appendJSON(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.String("conversation_id", c.ID)
	o.Member("created_at", c.CreatedAt.JSON)
	o.Member("last_message_at", c.LastMessageAt.JSON)
	o.Int("message_count", c.MessageCount)
	o.Strings("participant_roles", slices.Sorted(maps.Keys(c.roles)))
	return o.Close()
}

// Load reads a state of contract section 6.3.
func Load(doc *ordered.Map, m modality.Moment) (modality.State, []field.Error) {
	r := field.Read(doc)
	s := &State{Stamp: modality.ReadStamp(r, name), history: map[string][]*Message{}, byID: map[string][]*Message{}}
	list := field.Or(r, "messages", field.List(field.Model(func(r *field.Reader) *Message { return readMessage(r, m) }), 0), nil)
	s.conversations = *field.Or(r, "conversations", field.Values(field.Model(readConversation)), &ordered.Table[*Conversation]{})
	s.limit = field.Or(r, "max_history_size", field.Int, defaultHistory)
	s.fallback = field.Or(r, "default_conversation_id", field.String, defaultConversation)
	if errs := r.Errors(); len(errs) > 0 {
		return nil, errs
	}
	for _, msg := range list {
		s.places++
		msg.place = s.places
		s.put(msg)
	}
	if !slices.IsSortedFunc(list, compareTime) {
		s.shown = list
	}
	for id, c := range s.conversations.All() {
		if c.ID == "" {
			c.ID = id
		}
	}
	return s, nil
}

func readMessage(r *field.Reader, m modality.Moment) *Message {
	msg := &Message{
		ID:             field.Or(r, "message_id", field.String, ""),
		ConversationID: field.Or(r, "conversation_id", field.String, defaultConversation),
		Role:           field.Need(r, "role", role),
		Content:        field.Need(r, "content", content),
		At:             field.Need(r, "timestamp", field.When).Aware(),
		Metadata:       field.Or(r, "metadata", field.Object, &ordered.Map{}),
	}
	if msg.ID == "" {
		msg.ID = m.NewID()
	}
	return msg
}

func readConversation(r *field.Reader) *Conversation {
	c := &Conversation{
		ID:            field.Or(r, "conversation_id", field.String, ""),
		CreatedAt:     field.Need(r, "created_at", field.When).Aware(),
		LastMessageAt: field.Need(r, "last_message_at", field.When).Aware(),
		MessageCount:  field.Or(r, "message_count", field.Int, 0),
		roles:         map[string]struct{}{},
	}
	for _, x := range field.Or(r, "participant_roles", field.List(field.String, 0), nil) {
		c.roles[x] = struct{}{}
	}
	return c
}

// Problems are the inconsistencies that contract section 6.3 names.
func (s *State) Problems() []string {
	var found []string
	list := s.messages()
	for i := 1; i < len(list); i++ {
		if list[i].At.Before(list[i-1].At) {
			found = append(found, fmt.Sprintf("Messages not in chronological order at index %d", i))
		}
	}
	for id, c := range s.conversations.All() {
		found = append(found, s.conversationProblems(id, c)...)
	}
	return found
}

func (s *State) conversationProblems(id string, c *Conversation) []string {
	var found []string
	list := s.history[id]
	if len(list) != c.MessageCount {
		found = append(found, fmt.Sprintf("Conversation %s metadata count %d doesn't match actual count %d", id, c.MessageCount, len(list)))
	}
	if len(list) > s.limit {
		found = append(found, fmt.Sprintf("Conversation %s has %d messages, exceeds maximum %d", id, len(list), s.limit))
	}
	roles := map[string]struct{}{}
	for _, m := range list {
		roles[m.Role] = struct{}{}
	}
	if !maps.Equal(roles, c.roles) {
		found = append(found, fmt.Sprintf("Conversation %s metadata roles %s don't match actual roles %s", id, setText(c.roles), setText(roles)))
	}
	if len(list) > 0 && list[len(list)-1].At.Compare(c.LastMessageAt) != 0 {
		found = append(found, fmt.Sprintf("Conversation %s metadata last_message_at doesn't match actual last message timestamp", id))
	}
	return found
}

// setText writes a set as Python does.
func setText(set map[string]struct{}) string {
	if len(set) == 0 {
		return "set()"
	}
	list := modality.List(slices.Sorted(maps.Keys(set)))
	return "{" + list[1:len(list)-1] + "}"
}
