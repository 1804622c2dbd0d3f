package google

import (
	"context"
	"sync"
	"time"
)

// limiter keeps an account below a number of units in any minute. Requests that come
// in bulk leave a tenth to the others, so that a person's mail does not wait behind a
// thousand that are read.
type limiter struct {
	now   func() time.Time
	sleep func(ctx context.Context, d time.Duration) error
	most  int

	mu    sync.Mutex
	spent [61]int // units by second, in the last minute
	last  int64   // second of the newest entry
}

// wait returns when the units may be spent.
func (l *limiter) wait(ctx context.Context, units int, bulk bool) error {
	for {
		pause := l.take(units, bulk)
		if pause <= 0 {
			return ctx.Err()
		}
		if err := l.sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// take spends the units, or returns how long to wait before asking again.
func (l *limiter) take(units int, bulk bool) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	second := now.Unix()
	l.forget(second)
	most := l.most
	if bulk {
		most -= most / 10
	}
	sum := 0
	for _, n := range l.spent {
		sum += n
	}
	if sum == 0 || sum+units <= most {
		l.spent[second%int64(len(l.spent))] += units
		return 0
	}
	// Wait until enough of the oldest entries have gone.
	for age := int64(len(l.spent)) - 1; age >= 0; age-- {
		sum -= l.spent[(second-age+int64(len(l.spent)))%int64(len(l.spent))]
		if sum == 0 || sum+units <= most {
			free := time.Unix(second-age+int64(len(l.spent)), 0)
			return max(free.Sub(now), time.Millisecond)
		}
	}
	return time.Second
}

// forget drops what was spent more than a minute ago.
func (l *limiter) forget(second int64) {
	if second-l.last >= int64(len(l.spent)) || second < l.last {
		clear(l.spent[:])
		l.last = second
		return
	}
	for l.last < second {
		l.last++
		l.spent[l.last%int64(len(l.spent))] = 0
	}
}
