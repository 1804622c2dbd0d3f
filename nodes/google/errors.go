package google

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"

	"github.com/weft-engine/weft/engine"
)

// LoginError says that a person has to log in before anything works again.
type LoginError struct {
	Account string // "" when there is none
	Reason  string
	err     error
}

// Mend is what a person does about a LoginError.
const Mend = "Run `weft auth google`."

// Error says what is wrong and what to do.
func (e *LoginError) Error() string { return e.Reason + ". " + Mend }

// Unwrap returns what Google answered.
func (e *LoginError) Unwrap() error { return e.err }

// loginError makes words of what the token endpoint answered.
func loginError(account string, err error) error {
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return err
	}
	switch refused.ErrorCode {
	case "invalid_grant":
		return &LoginError{Account: account, err: err, Reason: "Google no longer accepts the login of " + account +
			": it has expired or was revoked (while an app is in testing, logins end after 7 days)"}
	case "invalid_client", "unauthorized_client", "deleted_client":
		return &LoginError{Account: account, err: err, Reason: "Google does not know the OAuth client with which " + account +
			" logged in (" + refused.ErrorCode + ")"}
	}
	if refused.Response != nil && refused.Response.StatusCode >= 400 && refused.Response.StatusCode < 500 && refused.Response.StatusCode != http.StatusTooManyRequests {
		return &LoginError{Account: account, err: err, Reason: "Google refuses to renew the login of " + account + " (" + refused.ErrorCode + ")"}
	}
	return err
}

// outcome is what an error says about the request.
type outcome uint8

const (
	refused outcome = iota // it will fail again, and nothing was done
	busy                   // nothing was done; later it may succeed
	lost                   // nobody knows whether it was done
	stopped                // the caller gave up
)

var (
	rateReasons  = []string{"rateLimitExceeded", "userRateLimitExceeded", "concurrentLimitExceeded", "backendError"}
	quotaReasons = []string{"dailyLimitExceeded", "quotaExceeded", "dailyLimitExceededUnreg"}
)

func classify(ctx context.Context, err error) outcome {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled) {
		return stopped
	}
	if api, ok := errors.AsType[*googleapi.Error](err); ok {
		return classifyStatus(api)
	}
	if _, ok := errors.AsType[*LoginError](err); ok || errors.Is(err, ErrTooLarge) {
		return refused
	}
	if token, ok := errors.AsType[*oauth2.RetrieveError](err); ok && token.Response != nil {
		return busy // the token endpoint: the request itself was never sent
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return busy
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok || errors.Is(err, syscall.ECONNREFUSED) {
		return busy
	}
	if _, ok := errors.AsType[*url.Error](err); ok || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, context.DeadlineExceeded) {
		return lost
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return lost
	}
	return refused
}

func classifyStatus(api *googleapi.Error) outcome {
	switch {
	case api.Code == http.StatusTooManyRequests, api.Code == http.StatusForbidden && hasReason(api, rateReasons):
		return busy
	case api.Code == http.StatusForbidden && strings.Contains(strings.ToLower(api.Message), "per minute"):
		return busy // whatever the reason says: it is no quota of the day
	case api.Code == http.StatusRequestTimeout, api.Code >= 500:
		return lost
	}
	return refused
}

func hasReason(api *googleapi.Error, reasons []string) bool {
	return slices.ContainsFunc(api.Errors, func(e googleapi.ErrorItem) bool { return slices.Contains(reasons, e.Reason) })
}

// Code returns the HTTP status of Google's refusal, 0 when it did not answer.
func Code(err error) int {
	if api, ok := errors.AsType[*googleapi.Error](err); ok {
		return api.Code
	}
	return 0
}

// words says what went wrong, for people, on one line.
func words(err error) string {
	api, ok := errors.AsType[*googleapi.Error](err)
	if !ok {
		return plainWords(err)
	}
	switch {
	case classifyStatus(api) == busy:
		return "Google asks to slow down (" + strconv.Itoa(api.Code) + ")"
	case api.Code == http.StatusForbidden && hasReason(api, quotaReasons):
		return "the daily quota of the Google project is used up; it is renewed at midnight Pacific time"
	case api.Code == http.StatusForbidden && hasReason(api, []string{"insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"}):
		return "the login does not cover this. " + Mend + " It asks for what is missing"
	case api.Code == http.StatusForbidden && hasReason(api, []string{"accessNotConfigured", "SERVICE_DISABLED"}):
		return "the Google project has this API switched off: enable the Gmail API and the Google Calendar API in the Google console"
	case api.Code == http.StatusUnauthorized:
		return "Google does not accept the login. " + Mend
	case api.Code >= 500:
		return "Google has a problem of its own (" + strconv.Itoa(api.Code) + ")"
	}
	return "Google answers: " + clip(api.Message) + " (" + strconv.Itoa(api.Code) + ")"
}

func plainWords(err error) string {
	if login, ok := errors.AsType[*LoginError](err); ok {
		return clip(login.Error())
	}
	if token, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return "Google cannot renew the login now (" + clip(token.ErrorCode) + ")"
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return "Google cannot be reached: the name " + clip(dns.Name) + " is not found; is there a network?"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return "Google cannot be reached: " + clip(op.Err.Error())
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return "no answer from Google: " + clip(u.Err.Error())
	}
	return clip(err.Error())
}

// clip is a text on one line, not too long.
func clip(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "…"
	}
	return text
}

// Failure makes an engine's failure of an error of Do. what says what was tried ("send
// the mail"). repeatable says that trying again does no harm.
func Failure(what string, err error, repeatable bool) error {
	if f, ok := errors.AsType[*engine.Failure](err); ok {
		return f
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	f := &engine.Failure{Class: engine.Permanent, Message: what + ": " + words(err)}
	switch classify(context.Background(), err) {
	case busy:
		f.Class, f.RetryAfter = engine.Transient, retryAfter(err, time.Time{})
	case lost:
		if f.Class = engine.Uncertain; repeatable {
			f.Class = engine.Transient
		}
	case refused, stopped:
	}
	return f
}

// maxRetryAfter bounds what Google can make us wait.
const maxRetryAfter = 10 * time.Minute

// retryAfter reads how long Google asks to wait: seconds or a date, in the header or, as
// Gmail does, in the message ("Retry after 2026-03-09T12:00:09.000Z").
func retryAfter(err error, now time.Time) time.Duration {
	api, ok := errors.AsType[*googleapi.Error](err)
	if !ok {
		return 0
	}
	if _, rest, said := strings.Cut(api.Message, "Retry after "); said && !now.IsZero() {
		at, _, _ := strings.Cut(rest, " ")
		if t, err := time.Parse(time.RFC3339, strings.TrimRight(at, ".")); err == nil {
			return min(max(t.Sub(now), 0), maxRetryAfter)
		}
	}
	text := strings.TrimSpace(api.Header.Get("Retry-After"))
	if seconds, err := strconv.Atoi(text); err == nil {
		return min(max(time.Duration(min(seconds, 86400))*time.Second, 0), maxRetryAfter)
	}
	if at, err := http.ParseTime(text); err == nil && !now.IsZero() {
		return min(max(at.Sub(now), 0), maxRetryAfter)
	}
	return 0
}
