package simulator_test

import (
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/weft-engine/weft/nodes/ues/simulator"
)

// purple is what the consumer grants to the agent it assesses.
const purple = `["email:state","email:query","email:send","email:read","email:unread","email:star","email:unstar","email:archive",` +
	`"email:delete","email:label","email:unlabel","email:move","sms:state","sms:query","sms:send","sms:read","sms:unread","sms:delete",` +
	`"sms:react","calendar:state","calendar:query","calendar:create","calendar:update","calendar:delete","calendar:respond",` +
	`"chat:state","chat:query","chat:send","time:read"]`

// TestConsumer is the call sequence of contract section 1.1, with the scenario as it is
// bundled: paused.
func TestConsumer(t *testing.T) {
	c := serve(t, fresh(t, simulator.Options{AdminSecret: strings.Repeat("0123456789abcdef", 4)}))
	c.must(200, "GET", "/health", "")
	c.must(200, "POST", "/simulation/clear", "")
	c.must(200, "POST", "/scenario/import/full", triage(true))
	c.must(200, "POST", "/simulation/start", `{"auto_advance": false, "time_scale": 1.0}`)
	c.must(200, "POST", "/chat/send", `{"role":"user","content":"Sort my mail.","conversation_id":"user-assistant"}`)
	made := c.must(201, "POST", "/keys", `{"name":"Purple Agent (1)","permissions":`+purple+`}`)
	keyID := pick(t, made, "key_id")
	agent := caller{tb: t, url: c.url, secret: pick(t, made, "secret")}

	c.must(200, "GET", "/simulator/time", "")
	c.must(200, "POST", "/calendar/query", "{}")
	for range 2 {
		c.readAtOnce()
	}
	chat := c.must(200, "GET", "/chat/state", "")
	if pick(t, chat, "total_message_count") != "1" || pick(t, chat, "conversations/user-assistant/message_count") != "1" ||
		pick(t, chat, "messages/0/content") != "Sort my mail." {
		t.Errorf("chat: %s", chat)
	}
	begin := pick(t, c.must(200, "GET", "/simulator/time", ""), "current_time")
	if begin != "2026-01-28T06:00:00Z" {
		t.Fatalf("the turn begins at %s", begin)
	}

	agent.must(200, "POST", "/email/read", `{"message_ids":["email_001"]}`)
	agent.must(200, "POST", "/email/send", `{"from_address":"alex.thompson@meridiantech.example","to_addresses":["sam.rivera@example.com"],`+
		`"subject":"Re: Weekend","body_text":"Yes!","thread_id":"thread_weekend_plans","in_reply_to":"email_001"}`)
	agent.must(200, "POST", "/sms/send", `{"from_number":"+15550100000","to_numbers":["+15550100001"],"body":"hi"}`)
	created := agent.must(200, "POST", "/calendar/create", `{"title":"Lunch","start":"2026-01-28T12:00:00Z","end":"2026-01-28T13:00:00Z","attendees":[{"email":"sam.rivera@example.com"}]}`)
	agent.must(403, "POST", "/email/receive", "{}")
	agent.must(403, "POST", "/simulator/time/advance", `{"seconds":1}`)

	if got := pick(t, c.must(200, "POST", "/simulator/time/advance", `{"seconds": 1}`), "events_executed"); got != "0" {
		t.Errorf("%s events in the first second", got)
	}
	end := pick(t, c.must(200, "GET", "/simulator/time", ""), "current_time")
	log := c.must(200, "GET", "/events?status=executed&start_time="+url.QueryEscape(iso(begin))+"&end_time="+url.QueryEscape(iso(end)), "")
	var acts []string
	for i := range 20 {
		at := str("events/%d/", i)
		if agent := pick(t, log, at+"agent_id"); agent == keyID {
			acts = append(acts, pick(t, log, at+"modality")+"."+pick(t, log, at+"data/operation"))
		}
	}
	if got := strings.Join(acts, " "); got != "email.mark_read email.send sms.send_message calendar.create" {
		t.Errorf("the agent's acts: %s", got)
	}

	mails := c.must(200, "POST", "/email/query", `{"received_after": "`+iso(begin)+`", "sort_order":"asc"}`)
	if pick(t, mails, "total_count") != "1" || pick(t, mails, "emails/0/thread_id") != "thread_weekend_plans" {
		t.Errorf("mails since: %s", mails)
	}
	if texts := c.must(200, "POST", "/sms/query", `{"sent_after": "`+iso(begin)+`", "sort_order":"asc"}`); pick(t, texts, "total_count") != "1" {
		t.Errorf("messages since: %s", texts)
	}
	thread := c.must(200, "POST", "/email/query", `{"thread_id": "thread_weekend_plans", "sort_order":"asc"}`)
	if pick(t, thread, "emails/0/message_id") != "email_001" || pick(t, thread, "total_count") != "2" {
		t.Errorf("thread: %s", thread)
	}
	c.answers(created)

	if got := pick(t, c.must(200, "POST", "/simulator/time/advance", `{"seconds": 3599}`), "events_executed"); got != "2" {
		t.Errorf("%s events in the rest of the hour", got)
	}
	c.readAtOnce()
	c.must(200, "DELETE", "/keys/"+keyID, "")
	c.must(404, "DELETE", "/keys/ues_0000000000000000", "")
	agent.must(401, "GET", "/simulator/time", "")
}

// answers are the replies of the scenario's people.
func (c caller) answers(created string) {
	c.tb.Helper()
	_, id, _ := strings.Cut(pick(c.tb, created, "message"), "(calendar_event_id: ")
	id = strings.TrimSuffix(id, ")")
	for path, body := range map[string]string{
		"/email/receive": `{"from_address":"sam.rivera@example.com","to_addresses":["alex.thompson@meridiantech.example"],"subject":"Re: Re:","body_text":"Great","priority":"normal","sent_at":"2026-01-28T06:00:01+00:00"}`,
		"/sms/receive":   `{"from_number":"+15550100001","to_numbers":["+15550100000"],"body":"hello","message_type":"sms","sent_at":"2026-01-28T06:00:01+00:00"}`,
	} {
		if got := pick(c.tb, c.must(200, "POST", path, body), "status"); got != "executed" {
			c.tb.Errorf("%s: %s", path, got)
		}
	}
	respond := c.must(200, "POST", "/calendar/respond", `{"event_id":"`+id+`","attendee_email":"Sam.Rivera@example.com","response":"accepted"}`)
	if pick(c.tb, respond, "status") != "executed" {
		c.tb.Errorf("respond: %s", respond)
	}
	state := c.must(200, "GET", "/calendar/state", "")
	if pick(c.tb, state, "events/"+id+"/attendees/0/response") != "accepted" {
		c.tb.Errorf("calendar: %s", state)
	}
}

// iso is a time in the form that the consumer sends.
func iso(z string) string { return strings.Replace(z, "Z", "+00:00", 1) }

// readAtOnce reads all states concurrently, as the consumer does.
func (c caller) readAtOnce() {
	var wg sync.WaitGroup
	for _, path := range []string{"/email/state", "/sms/state", "/calendar/state", "/chat/state", "/simulator/time"} {
		wg.Go(func() {
			if status, text := c.do("GET", path, ""); status != 200 {
				c.tb.Errorf("%s: %d %s", path, status, text)
			}
		})
	}
	wg.Wait()
}
