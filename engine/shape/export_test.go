package shape

// What tests see of the inside.
var (
	FromGo = fromGo
	Slow   = (*Shape).slow
	Quick  = func(s *Shape, v any) bool {
		q := quickly{left: maxQuick}
		return s.root != nil && q.fits(s.root, v)
	}
)

func (s *Shape) slow(v any) []Problem {
	if s.free {
		return nil
	}
	s.once.Do(s.compile)
	if s.schema == nil {
		return []Problem{{Message: s.failure}}
	}
	if err := s.schema.Validate(v); err != nil {
		return s.explain(v, err)
	}
	return nil
}
