package act

import (
	"context"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/nodes/ues"
)

const (
	none       = engine.EffectNone
	idempotent = engine.EffectIdempotent
	once       = engine.EffectOnce
)

// actions is everything that can be done. How an operation is called in its event is
// contract section 6.
var actions = []Action{
	{Name: "email.send", Effect: once, path: "/email/send", modal: "email", op: "send", prepare: composeEmail},
	{Name: "email.reply", Effect: once, path: "/email/send", modal: "email", op: "send", prepare: replyEmail},
	{Name: "email.receive", Effect: once, path: "/email/receive", modal: "email", op: "receive", prepare: receiveEmail},
	{Name: "email.get", Effect: none, look: getEmail},
	{Name: "email.query", Effect: none, path: "/email/query"},
	mark1("email.mark_read", "/email/read", "mark_read"),
	mark1("email.mark_unread", "/email/unread", "mark_unread"),
	mark1("email.star", "/email/star", "star"),
	mark1("email.unstar", "/email/unstar", "unstar"),
	mark1("email.archive", "/email/archive", "archive"),
	mark1("email.delete", "/email/delete", "delete"),
	mark1("email.label", "/email/label", "add_label"),
	mark1("email.unlabel", "/email/unlabel", "remove_label"),
	mark1("email.move", "/email/move", "move"),

	{Name: "sms.send", Effect: once, path: "/sms/send", modal: "sms", op: "send_message", prepare: composeSMS},
	{Name: "sms.receive", Effect: once, path: "/sms/receive", modal: "sms", op: "receive_message", prepare: receiveSMS},
	{Name: "sms.query", Effect: none, path: "/sms/query"},
	{Name: "sms.mark_read", Effect: idempotent, path: "/sms/read", prepare: oneOrMore},
	{Name: "sms.mark_unread", Effect: idempotent, path: "/sms/unread", prepare: oneOrMore},
	{Name: "sms.delete", Effect: idempotent, path: "/sms/delete", prepare: oneOrMore},
	{Name: "sms.react", Effect: once, path: "/sms/react", modal: "sms", op: "add_reaction", prepare: reactSMS},

	{Name: "chat.send", Effect: once, path: "/chat/send", modal: "chat", op: "send_message", prepare: composeChat},
	{Name: "chat.query", Effect: none, path: "/chat/query"},

	{Name: "calendar.create", Effect: once, path: "/calendar/create", modal: "calendar", op: "create", prepare: composeEvent},
	{Name: "calendar.update", Effect: idempotent, path: "/calendar/update", prepare: attendees},
	{Name: "calendar.delete", Effect: idempotent, path: "/calendar/delete"},
	{Name: "calendar.respond", Effect: idempotent, path: "/calendar/respond", prepare: respondEvent},
	{Name: "calendar.query", Effect: none, path: "/calendar/query"},
	{Name: "calendar.agenda", Effect: none, look: agenda},

	{Name: "contacts.create", Effect: once, path: "/contacts/create", modal: "contacts", op: "create_contact"},
	{Name: "contacts.query", Effect: none, path: "/contacts/query"},
	{Name: "location.update", Effect: idempotent, path: "/location/update"},
	{Name: "location.query", Effect: none, path: "/location/query"},
	{Name: "weather.query", Effect: none, path: "/weather/query"},

	{Name: "events.query", Effect: none, look: queryEvents},
	{Name: "time.get", Effect: none, look: func(ctx context.Context, c *ues.Client, _ fields) (any, error) {
		return lookUp(ctx, c, "GET", "/simulator/time", nil)
	}},
}

// mark1 is an action on mails that may be done twice.
func mark1(name, path, op string) Action {
	return Action{Name: name, Effect: idempotent, path: path, modal: "email", op: op, prepare: oneOrMore}
}
