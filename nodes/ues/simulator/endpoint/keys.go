package endpoint

import (
	"errors"
	"net/http"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/key"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// Keys declares /keys.
func Keys(registry *key.Registry) []modality.Route {
	k := keys{registry}
	return []modality.Route{
		{
			Method: post, Path: "/keys", Permission: "keys:create", Body: modality.NeedBody, Outside: true,
			Summary: "Make a key; its secret is shown once", Handle: k.create,
		},
		{Method: get, Path: "/keys", Permission: "keys:list", Outside: true, Summary: "All keys", Query: []modality.Param{
			{Name: "include_revoked", Type: "boolean", Doc: "also those that open nothing any more (default true)"},
		}, Handle: k.list},
		{Method: get, Path: "/keys/{key_id}", Permission: "keys:read", Outside: true, Summary: "One key", Handle: k.show},
		{Method: remove, Path: "/keys/{key_id}", Permission: "keys:revoke", Outside: true, Summary: "Revoke a key", Handle: k.revoke},
	}
}

type keys struct{ *key.Registry }

func (k keys) create(r *modality.Request) modality.Response {
	b := body(r)
	name := field.Need(b, "name", field.Length(1, 100))
	permissions := field.Need(b, "permissions", field.List(field.String, 1))
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	made, secret, err := k.Create(name, permissions, r.Key)
	if err != nil {
		return modality.Detail(http.StatusConflict, "There are too many API keys: restart the server to drop revoked ones")
	}
	return object(http.StatusCreated, func(o *jsontext.Object) {
		o.String("key_id", made.ID)
		o.String("secret", secret)
		o.String("name", made.Name)
		o.Strings("permissions", made.Permissions)
		wallTime(o, "created_at", made.CreatedAt)
		o.Nullable("created_by", made.CreatedBy)
	})
}

// info writes a KeyInfo.
func info(o *jsontext.Object, k key.Key) {
	o.String("key_id", k.ID)
	o.String("name", k.Name)
	o.Strings("permissions", k.Permissions)
	wallTime(o, "created_at", k.CreatedAt)
	o.Nullable("created_by", k.CreatedBy)
	wallTime(o, "last_used_at", k.LastUsedAt)
	o.Bool("is_active", k.Active())
	wallTime(o, "revoked_at", k.RevokedAt)
}

func (k keys) list(r *modality.Request) modality.Response {
	q := query(r)
	revoked := field.Or(q, "include_revoked", field.Bool, true)
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	all := k.List(revoked)
	active := 0
	for _, one := range all {
		if one.Active() {
			active++
		}
	}
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Member("keys", list(all, info))
		o.Int("total", len(all))
		o.Int("active", active)
		o.Int("revoked", len(all)-active)
	})
}

func (k keys) show(r *modality.Request) modality.Response {
	id := r.Path("key_id")
	found, err := k.Get(id)
	if err != nil {
		return noKey(id)
	}
	return object(http.StatusOK, func(o *jsontext.Object) { info(o, found) })
}

func noKey(id string) modality.Response {
	return modality.Detail(http.StatusNotFound, "API key with ID '"+id+"' not found")
}

func (k keys) revoke(r *modality.Request) modality.Response {
	id := r.Path("key_id")
	gone, err := k.Revoke(id)
	switch {
	case errors.Is(err, key.ErrNotFound):
		return noKey(id)
	case errors.Is(err, key.ErrAdmin):
		return modality.Detail(http.StatusBadRequest, "Cannot revoke the admin key")
	case errors.Is(err, key.ErrRevoked):
		return modality.Detail(http.StatusConflict, "API key '"+id+"' is already revoked")
	}
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.String("key_id", gone.ID)
		o.String("name", gone.Name)
		wallTime(o, "revoked_at", gone.RevokedAt)
		o.String("message", "API key '"+gone.Name+"' has been revoked and can no longer be used")
	})
}
