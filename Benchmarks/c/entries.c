#include "entries.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

const char *const field_names[FIELDS] = {
    "patient_id", "first_name", "last_name", "birth_date", "village",
    "visited_on", "diagnosis", "temperature", "remarks",
};
const field_type field_types[FIELDS] = {
    TYPE_INTEGER, TYPE_TEXT, TYPE_TEXT, TYPE_DATE, TYPE_TEXT,
    TYPE_DATE, TYPE_TEXT, TYPE_DECIMAL, TYPE_TEXT,
};

/* Generation ------------------------------------------------------------------------------- */

static const char *const first_names[] = {
    "Sara", "Jacob", "Isabella", "Amina", "Kofi", "Mei", "Tomas", "Aisha", "Grace", "Samuel",
    "Fatima", "Joseph", "Esther", "Daniel", "Nia", "Ibrahim", "Ruth", "Peter", "Leila", "Emmanuel",
    "Zainab", "David", "Abena", "Moses", "Chipo", "Yusuf", "Naledi", "Paul", "Wanjiru", "José",
    "Halima", "Simon", "Adaeze", "Elias", "Thandiwe", "Omar", "Rosa", "Juma", "Miriam", "Ravi",
};
static const char *const last_names[] = {
    "Okafor", "Mwangi", "Nakamura", "Diallo", "Banda", "Hernández", "Achieng", "Mensah", "Phiri",
    "Kamau", "Otieno", "Moyo", "Abebe", "Traoré", "Njoroge", "Chanda", "Ndlovu", "Hassan", "Zulu",
    "Owusu", "Kiptoo", "Tembo", "Sesay", "Mutua", "Boateng", "Adeyemi", "Kone", "Wekesa", "Lungu",
    "Barasa", "Keita", "Mbewe", "Asante", "Cheruiyot", "Sithole", "Juma", "Nyambura", "Eze",
    "Omondi", "Bello", "Kariuki", "Toure", "Mwale", "Hamisi", "Osei", "Wafula", "Jallow", "Daka",
};
static const char *const villages[] = {
    "Kisumu Ndogo", "Mji Mpya", "San Pedro", "Old Market", "Riverside", "Chipata East", "Nyanza",
    "Kibera Line 4", "Lower Hill", "Mission Road", "Mkuranga", "Ziwani", "Katete", "Busia Border",
    "Luanda Sul", "Tamale North", "Bondo", "Siaya", "Kapsokwony", "Mwea", "Homa Bay", "Kitale",
    "Lodwar", "Marsabit", "Garissa Ndogo", "Voi", "Taveta", "Namanga", "Kajiado", "Narok",
};
static const char *const diagnoses[] = {
    "Malaria", "Chickenpox", "Influenza", "Measles", "Dengue", "Gastroenteritis", "Bronchitis",
    "Otitis media", "Hepatitis A", "Typhoid fever", "Tonsillitis", "Anaemia", "Scabies", "None",
};
static const char *const complaints[] = {
    "Fever since", "Cough since", "Headache and chills since", "Vomiting since", "Rash since",
    "Weak and tired since", "Pain in the ear since", "No appetite since", "Diarrhoea since",
};
static const char *const spans[] = {
    "yesterday", "this morning", "two days ago", "three days ago", "last week", "Sunday",
    "the weekend", "about ten days ago",
};
static const char *const actions[] = {
    "gave paracetamol", "gave ORS and zinc", "gave artemether", "referred to the hospital",
    "blood sample taken", "advised rest and fluids", "dressing changed", "second dose given",
    "mother counselled", "started amoxicillin",
};
static const char *const ends[] = {
    "come back on Monday", "come back in 3 days", "visit at home next week",
    "no follow-up needed", "call if worse", "check weight next time",
};

#define PICK(list) (list[below(&state, sizeof list / sizeof *list)])

static uint64_t next(uint64_t *state) {
    uint64_t mixed = (*state += 0x9e3779b97f4a7c15u);
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

static unsigned below(uint64_t *state, size_t bound) {
    return (unsigned)(next(state) % bound);
}

size_t write_entries(FILE *csv, long count, uint64_t seed) {
    uint64_t state = seed;
    size_t json = 0;
    for (int field = 0; field < FIELDS; field++)
        fprintf(csv, "%s%s", field ? "," : "", field_names[field]);
    fputc('\n', csv);
    for (long made = 0; made < count; made++) {
        char temperature[8] = "", remarks[200] = "";
        unsigned degrees = 360 + below(&state, 50);
        if (below(&state, 20))
            snprintf(temperature, sizeof temperature, "%u.%u", degrees / 10, degrees % 10);
        const char *complaint = PICK(complaints), *span = PICK(spans);
        const char *action = PICK(actions), *end = PICK(ends);
        int is_to_come = below(&state, 2) != 0;
        unsigned weight = 50 + below(&state, 800);
        snprintf(remarks, sizeof remarks, "%s %s, %s%s%s. %u.%u kg", complaint, span, action,
                 is_to_come ? "; " : "", is_to_come ? end : "", weight / 10, weight % 10);
        if (below(&state, 2))
            snprintf(remarks + strlen(remarks), 32, ", tel 07%08u", below(&state, 100000000));
        char fixed[256];
        int patient = 100000 + (int)below(&state, 900000);
        const char *first = PICK(first_names), *last = PICK(last_names);
        char born[16], visited[16];
        unsigned birth = below(&state, 85 * 12 * 28);
        snprintf(born, sizeof born, "%04u-%02u-%02u", 1940 + birth / 336, 1 + birth / 28 % 12,
                 1 + birth % 28);
        const char *village = PICK(villages);
        /* Visits come in roughly the order of their days. */
        unsigned day = (unsigned)((double)made / (double)count * 300) + below(&state, 3);
        snprintf(visited, sizeof visited, "2026-%02u-%02u", 1 + day / 28 % 12, 1 + day % 28);
        const char *diagnosis = PICK(diagnoses);
        snprintf(fixed, sizeof fixed, "%d,%s,%s,%s,%s,%s,%s,%s,", patient, first, last, born,
                 village, visited, diagnosis, temperature);
        fprintf(csv, "%s\"%s\"\n", fixed, remarks);
        /* {"name":value,...}: quotes around names, colons, and quotes around texts and dates. */
        json += strlen(fixed) - 8 + strlen(remarks) + 2 + 8 + 7 * 2;
        for (int field = 0; field < FIELDS; field++) json += strlen(field_names[field]) + 3;
        if (!*temperature) json -= strlen(field_names[7]) + 4;
    }
    return json;
}

/* Reading ---------------------------------------------------------------------------------- */

int is_date(const char *text, size_t length) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (length != 10 || text[4] != '-' || text[7] != '-') return 0;
    for (int place = 0; place < 10; place++)
        if (place != 4 && place != 7 && !isdigit((unsigned char)text[place])) return 0;
    int year = 0;
    for (int place = 0; place < 4; place++) year = year * 10 + text[place] - '0';
    int month = (text[5] - '0') * 10 + text[6] - '0', day = (text[8] - '0') * 10 + text[9] - '0';
    if (month < 1 || month > 12 || day < 1) return 0;
    int leap = month == 2 && year % 4 == 0 && (year % 100 || year % 400 == 0);
    return day <= days[month - 1] + leap;
}

int is_utf8(const unsigned char *text, size_t length) {
    for (size_t place = 0; place < length;) {
        uint64_t eight;
        if (place + 8 <= length) {
            memcpy(&eight, text + place, 8);
            if (!(eight & 0x8080808080808080u)) {
                place += 8;
                continue;
            }
        }
        unsigned char lead = text[place++];
        if (lead < 0x80) continue;
        int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        if (lead < 0xc2 || lead > 0xf4 || place + more > length) return 0;
        unsigned char second = text[place];
        if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f)
            || (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) return 0;
        while (more--)
            if ((text[place++] & 0xc0) != 0x80) return 0;
    }
    return 1;
}

static value typed(field_type type, char *text, size_t length, long line) {
    value result = {.kind = VALUE_ABSENT};
    if (!length) return result;
    char *end = text;
    char after = text[length];
    text[length] = 0;
    switch (type) {
    case TYPE_INTEGER:
        result.kind = VALUE_INTEGER;
        result.as.integer = strtoll(text, &end, 10);
        if (end != text + length) fail("line %ld: not a number: %s", line, text);
        break;
    case TYPE_DECIMAL:
        result.kind = VALUE_DECIMAL;
        result.as.decimal = strtod(text, &end);
        if (end != text + length) fail("line %ld: not a number: %s", line, text);
        break;
    case TYPE_DATE:
    case TYPE_TEXT:
        if (type == TYPE_DATE ? !is_date(text, length) : !is_utf8((unsigned char *)text, length))
            fail("line %ld: not a value of this type: %s", line, text);
        result.kind = VALUE_TEXT;
        result.as.text.start = text;
        result.as.text.length = length;
    }
    text[length] = after;
    return result;
}

csv_reader csv_open(char *bytes, size_t length) {
    csv_reader reader = {bytes, bytes + length, 1};
    for (int field = 0; field < FIELDS; field++) {
        size_t size = strlen(field_names[field]);
        if ((size_t)(reader.end - reader.position) <= size
            || memcmp(reader.position, field_names[field], size)
            || reader.position[size] != (field + 1 < FIELDS ? ',' : '\n'))
            fail("the CSV has other columns");
        reader.position += size + 1;
    }
    return reader;
}

int csv_next(csv_reader *reader, value row[FIELDS]) {
    if (reader->position == reader->end) return 0;
    reader->line++;
    for (int field = 0; field < FIELDS; field++) {
        char *start = reader->position, *scan = start, *write = start;
        if (scan < reader->end && *scan == '"') {
            for (scan++; scan < reader->end; scan++) {
                if (*scan == '"' && (scan + 1 == reader->end || *++scan != '"')) break;
                *write++ = *scan;
            }
        } else {
            while (scan < reader->end && *scan != ',' && *scan != '\n') scan++;
            write = scan;
        }
        if (scan == reader->end || *scan != (field + 1 < FIELDS ? ',' : '\n'))
            fail("line %ld: not %d columns", reader->line, FIELDS);
        row[field] = typed(field_types[field], start, write - start, reader->line);
        reader->position = scan + 1;
    }
    return 1;
}
