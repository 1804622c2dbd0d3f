package expr

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"
)

// calendar is how a language writes dates. In a style y, M, d, H, h and m are year,
// month, day, hour of 24, hour of 12 and minute, doubled with a leading 0; MMM and MMMM
// are the short and the long name of the month, E that of the weekday, a is AM or PM.
// Texts stand in quotes.
type calendar struct {
	months, short [12]string
	days          [7]string // from Sunday on
	styles        map[string]string
	between       string // date and time
}

func names12(s string) (out [12]string) {
	copy(out[:], strings.Fields(s))
	return out
}

func names7(s string) (out [7]string) {
	copy(out[:], strings.Fields(s))
	return out
}

func styles(short, medium, long, full, clock string) map[string]string {
	return map[string]string{"short": short, "medium": medium, "long": long, "full": full, "time": clock}
}

var (
	englishMonths = names12("January February March April May June July August September October November December")
	englishShort  = names12("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec")
	englishDays   = names7("Sunday Monday Tuesday Wednesday Thursday Friday Saturday")
)

// calendars are the languages that dates can be written in.
var calendars = map[string]*calendar{
	"en": {
		months: englishMonths, short: englishShort, days: englishDays, between: ", ",
		styles: styles("M/d/yyyy", "MMM d, yyyy", "MMMM d, yyyy", "E, MMMM d, yyyy", "h:mm a"),
	},
	"en-GB": {
		months: englishMonths, short: englishShort, days: englishDays, between: ", ",
		styles: styles("dd/MM/yyyy", "d MMM yyyy", "d MMMM yyyy", "E, d MMMM yyyy", "HH:mm"),
	},
	"de": {
		months: names12("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
		short:  names12("Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez."),
		days:   names7("Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag"), between: ", ",
		styles: styles("dd.MM.yyyy", "d. MMM yyyy", "d. MMMM yyyy", "E, d. MMMM yyyy", "HH:mm"),
	},
	"fr": {
		months: names12("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
		short:  names12("janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc."),
		days:   names7("dimanche lundi mardi mercredi jeudi vendredi samedi"), between: ", ",
		styles: styles("dd/MM/yyyy", "d MMM yyyy", "d MMMM yyyy", "E d MMMM yyyy", "HH:mm"),
	},
	"es": {
		months: names12("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
		short:  names12("ene feb mar abr may jun jul ago sept oct nov dic"),
		days:   names7("domingo lunes martes miércoles jueves viernes sábado"), between: ", ",
		styles: styles("d/M/yyyy", "d MMM yyyy", "d 'de' MMMM 'de' yyyy", "E, d 'de' MMMM 'de' yyyy", "H:mm"),
	},
	"it": {
		months: names12("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"),
		short:  names12("gen feb mar apr mag giu lug ago set ott nov dic"),
		days:   names7("domenica lunedì martedì mercoledì giovedì venerdì sabato"), between: ", ",
		styles: styles("dd/MM/yyyy", "d MMM yyyy", "d MMMM yyyy", "E d MMMM yyyy", "HH:mm"),
	},
	"nl": {
		months: names12("januari februari maart april mei juni juli augustus september oktober november december"),
		short:  names12("jan feb mrt apr mei jun jul aug sep okt nov dec"),
		days:   names7("zondag maandag dinsdag woensdag donderdag vrijdag zaterdag"), between: " ",
		styles: styles("dd-MM-yyyy", "d MMM yyyy", "d MMMM yyyy", "E d MMMM yyyy", "HH:mm"),
	},
	"pt": {
		months: names12("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"),
		short:  names12("jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez."),
		days:   names7("domingo segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado"), between: ", ",
		styles: styles("dd/MM/yyyy", "d 'de' MMM 'de' yyyy", "d 'de' MMMM 'de' yyyy", "E, d 'de' MMMM 'de' yyyy", "HH:mm"),
	},
}

// isoCalendar is for languages whose dates are not known: as ISO 8601 writes them.
var isoCalendar = &calendar{
	months: englishMonths, short: englishShort, days: englishDays, between: " ",
	styles: styles("yyyy-MM-dd", "yyyy-MM-dd", "yyyy-MM-dd", "yyyy-MM-dd", "HH:mm"),
}

func calendarOf(tag language.Tag) *calendar {
	base, _ := tag.Base()
	region, sure := tag.Region()
	if base.String() == "en" && sure >= language.High && region.String() != "US" {
		return calendars["en-GB"]
	}
	if c := calendars[base.String()]; c != nil {
		return c
	}
	return isoCalendar
}

func (c *calendar) write(t time.Time, style string) string {
	var b strings.Builder
	for i := 0; i < len(style); {
		if style[i] == '\'' {
			end := strings.IndexByte(style[i+1:], '\'')
			b.WriteString(style[i+1 : i+1+end])
			i += end + 2
			continue
		}
		n := 1
		for i+n < len(style) && style[i+n] == style[i] {
			n++
		}
		c.field(&b, t, style[i], n)
		i += n
	}
	return b.String()
}

// field writes what n times the letter stands for, or the letter.
func (c *calendar) field(b *strings.Builder, t time.Time, letter byte, n int) {
	value := -1
	switch letter {
	case 'y':
		value = t.Year()
	case 'M':
		switch n {
		case 4:
			b.WriteString(c.months[t.Month()-1])
			return
		case 3:
			b.WriteString(c.short[t.Month()-1])
			return
		}
		value = int(t.Month())
	case 'd':
		value = t.Day()
	case 'H':
		value = t.Hour()
	case 'h':
		value = (t.Hour()+11)%12 + 1
	case 'm':
		value = t.Minute()
	case 'E':
		b.WriteString(c.days[t.Weekday()])
		return
	case 'a':
		b.WriteString(t.Format("PM"))
		return
	}
	if value < 0 {
		b.WriteString(strings.Repeat(string(letter), n))
		return
	}
	s := strconv.Itoa(value)
	b.WriteString(strings.Repeat("0", max(n-len(s), 0)) + s)
}
