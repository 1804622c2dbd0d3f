package model

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/sashabaranov/go-openai"

	"github.com/weft-engine/weft/engine/chat"
)

// azureVersion is the version of Azure's API that is spoken.
const azureVersion = "2024-10-21"

// preset is what is known of a provider.
type preset struct {
	baseURL string // empty: the model must name one
	needKey bool
}

var presets = map[string]preset{
	"openai":            {baseURL: "https://api.openai.com/v1", needKey: true},
	"anthropic":         {baseURL: "https://api.anthropic.com/v1", needKey: true},
	"google":            {baseURL: "https://generativelanguage.googleapis.com/v1beta/openai", needKey: true},
	"ollama":            {baseURL: "http://localhost:11434/v1"},
	"azure":             {needKey: true},
	"openai_compatible": {},
}

// config is how to reach a model.
func (p *Provider) config(m *chat.Model) (openai.ClientConfig, error) {
	known, ok := presets[m.Provider]
	if !ok {
		return openai.ClientConfig{}, fmt.Errorf("provider %q is not known", m.Provider)
	}
	base, ours := m.BaseURL, false
	if base == "" {
		base = p.BaseURLs[m.Provider]
	}
	if base == "" {
		base, ours = known.baseURL, true
	}
	if base == "" {
		return openai.ClientConfig{}, fmt.Errorf("provider %q needs a base_url", m.Provider)
	}
	if u, err := url.Parse(base); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return openai.ClientConfig{}, fmt.Errorf("the base_url is not an http or https address")
	}
	key, err := p.key(m, known.needKey && (ours || m.Provider == "azure"))
	if err != nil {
		return openai.ClientConfig{}, err
	}
	if m.Provider == "azure" && !strings.Contains(base, "/openai/v1") {
		c := openai.DefaultAzureConfig(key, base)
		c.APIVersion = azureVersion
		c.AzureModelMapperFunc = url.PathEscape
		return c, nil
	}
	c := openai.DefaultConfig(key)
	c.BaseURL = base
	return c, nil
}

func (p *Provider) key(m *chat.Model, need bool) (string, error) {
	if m.APIKey.IsZero() {
		if need {
			return "", fmt.Errorf("provider %q needs an api_key", m.Provider)
		}
		return "", nil
	}
	if p.Vault == nil {
		return "", errors.New("there is nothing to resolve its api_key with")
	}
	return p.Vault.Resolve(m.APIKey)
}
