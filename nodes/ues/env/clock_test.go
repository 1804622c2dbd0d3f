package env_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/weft-engine/weft/nodes/ues/env"
	"github.com/weft-engine/weft/nodes/ues/uestest"
)

// deaf makes calls and loses the answers of those that change something.
type deaf struct{ inner http.RoundTripper }

func (d deaf) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := d.inner.RoundTrip(req)
	if err == nil && req.Method != http.MethodGet {
		_ = res.Body.Close()
		return nil, errors.New("the line broke")
	}
	return res, err
}

// A call whose answer was lost may have moved time all the same.
func TestAClockDoesNotTrustLostAnswers(t *testing.T) {
	t.Parallel()
	server, _ := uestest.Start(t, true)
	k := keeper(t, nil)
	k.HTTP = &http.Client{Transport: deaf{http.DefaultTransport}}
	e := open(t, k, "a", env.Target{URL: server.URL(), Key: server.Secret()})
	if got := e.Clock.Now(); !got.Equal(uestest.Begin) {
		t.Fatalf("it begins at %s", got)
	}
	if _, err := e.Admin.Time().Advance(t.Context(), time.Hour); err == nil {
		t.Fatal("the answer came")
	}
	if got := e.Clock.Now(); !got.Equal(uestest.Begin.Add(time.Hour)) {
		t.Errorf("it is %s", got)
	}
}

func TestAClockWaitsForSimulatedTime(t *testing.T) {
	t.Parallel()
	server, _ := uestest.Start(t, true)
	k := keeper(t, nil)
	for name, e := range map[string]env.Environment{
		"inside":    open(t, k, "a", place(t)),
		"elsewhere": open(t, k, "a", env.Target{URL: server.URL(), Key: server.Secret()}),
	} {
		over := func(ch <-chan struct{}) bool {
			select {
			case <-ch:
				return true
			default:
				return false
			}
		}
		past, _ := e.Clock.Wait(uestest.Begin)
		soon, _ := e.Clock.Wait(uestest.Begin.Add(time.Minute))
		later, stop := e.Clock.Wait(uestest.Begin.Add(time.Hour))
		if !over(past) || over(soon) || over(later) {
			t.Fatalf("%s: at first %v %v %v", name, over(past), over(soon), over(later))
		}
		if _, err := e.Admin.Time().Advance(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		if !over(soon) || over(later) {
			t.Errorf("%s: after a minute %v %v", name, over(soon), over(later))
		}
		stop()
		if _, err := e.Admin.Time().Advance(t.Context(), 2*time.Hour); err != nil {
			t.Fatal(err)
		}
		if over(later) {
			t.Errorf("%s: a wait that was given up is over", name)
		}
		if !e.Clock.Still() {
			t.Errorf("%s: it moves by itself", name)
		}
	}
}

func TestClockOf(t *testing.T) {
	t.Parallel()
	k := keeper(t, nil)
	c, err := k.ClockOf(t.Context(), "a", &env.Place{Scenario: []byte(uestest.Scenario)})
	if err != nil || !c.Now().Equal(uestest.Begin) {
		t.Fatal(c, err)
	}
	if _, err := k.ClockOf(t.Context(), "a", &env.Place{URL: "http://127.0.0.1:1"}); err == nil {
		t.Error("a clock that nobody answers for")
	}
	var none *env.Keeper
	if _, err := none.ClockOf(t.Context(), "a", nil); err == nil {
		t.Error("a program without environments has a clock")
	}
}
