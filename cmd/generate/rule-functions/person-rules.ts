import { LONG, PLAIN } from '../../../pkg/domain/fold-text.ts';
import { ROLE_MAILBOXES } from '../../../pkg/domain/mail-identity.ts';
import { LEGAL_ENDS, NAME_DEGREES, NAME_TITLES } from '../../../pkg/domain/name-spellings.ts';
import { LEGAL_FORMS } from '../../../pkg/domain/person-identity.ts';
import { NO_ANSWER, WAITS_FOR_PERSON } from '../../../pkg/domain/replied.ts';
import { SUPPRESSION_SOURCES } from '../../../pkg/domain/suppression.ts';
import { quoted, type Rule, wordList, wrapped } from './rule.ts';

const REPLIES = 'pkg/domain/replied.ts';

const FINAL_SOURCES = Object.entries(SUPPRESSION_SOURCES).flatMap(([source, { removable }]) =>
  removable ? [] : [source],
);

/** `x` with the letters of a table written as it says, in both cases. */
function spelt(x: string, table: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(table).flatMap(([letter, plain]) => {
    const capital = letter === 'ß' ? 'ẞ' : letter.toUpperCase();
    return /^[ıς]$/.test(letter)
      ? [[letter, plain]]
      : [
          [letter, plain],
          [capital, plain],
        ];
  });
  const single = pairs.filter(([, plain]) => plain?.length === 1);
  const all = (at: number): string => single.map((pair) => pair[at]).join('');
  const translated = single.length === 0 ? x : `translate(${x}, '${all(0)}', '${all(1)}')`;
  return pairs
    .filter(([, plain]) => (plain?.length ?? 0) > 1)
    .reduce((inner, [letter, plain]) => `replace(${inner},\n      '${letter}', '${plain}')`, translated);
}

const SPELLINGS = 'pkg/domain/name-spellings.ts';

/** A name with letters written as PLAIN says, and before that as LONG says. */
const SHORT_WAY = spelt('n', PLAIN)
  .split('\n')
  .map((part) => part.trim());
const LONG_WAY = spelt('n', LONG)
  .split('\n')
  .map((part) => part.trim());

/** A key with the long way to write a letter shortened. */
const contracted = (k: string): string =>
  `replace(replace(replace(replace(${k}, 'ae', 'a'), 'oe', 'o'), 'ue', 'u'), 'aa', 'a')`;

/**
 * Lines that make `k` without what stands at its end (or beginning). A pattern of so many words costs a tenth of a millisecond, so that it
 * is asked only where the word at that place is one of theirs.
 */
function cut(k: string, words: readonly string[], at: 1 | -1): string[] {
  const last = [...new Set(words.map((word) => word.split(' ').at(at === 1 ? 0 : -1) ?? ''))];
  const [before, after] = at === 1 ? ['^(?:(?:', ') )+'] : ['(?: (?:', '))+$'];
  return [
    `case when split_part(${k}, ' ', ${at}) = any (array[`,
    ...wrapped(last.map(quoted), ', ').map((line) => `  ${line}`),
    `]) then regexp_replace(${k}, '${before}'`,
    ...wrapped(words, '|').map((line) => `  ${quoted(line)}`),
    `  '${after}', '') else ${k} end`,
  ];
}

/** Lines that make `forms`: rows of `n` in each spelling; `plain`: a query of `short` and `k` by `x` from `spelt`. */
function spellings(plain: readonly string[]): string[] {
  return [
    'long as (select',
    ...LONG_WAY.map((line) => `  ${line}`),
    '  as n from given),',
    // Most names have one spelling only, which is read once.
    'spelt as (select bool_or(short) as short, x from (select short,',
    ...SHORT_WAY.map((line) => `  ${line}`),
    '  as x from (select true as short, n from given union all select false, n from long) g) s group by x),',
    'bare as (select short, k from (',
    ...plain.map((line) => `  ${line}`),
    ') b),',
    'forms as (',
    '  select k from bare',
    '  union',
    `  select ${contracted('k')} from bare where short`,
    ')',
  ];
}

/** Who has replied, who may be contacted again, and who is who. */
export const PERSON_RULES: readonly Rule[] = [
  {
    file: 'suppression/is_removable',
    source: 'pkg/domain/suppression.ts',
    says: ['Whether a workspace may lift an exclusion of this source: a wish of the person and the law stay.'],
    parameters: 'p_source text',
    returns: 'boolean',
    body: [`select p_source not in ${wordList(FINAL_SOURCES)}`],
  },
  {
    file: 'persons/is_role_mail',
    source: 'pkg/domain/mail-identity.ts',
    says: ['Whether a mailbox belongs to a function (info@, sales@), which proves nobody.'],
    parameters: 'p_mail text',
    returns: 'boolean',
    body: [
      "select lower(split_part(split_part(trim(p_mail), '@', 1), '+', 1)) = any (array[",
      ...wrapped([...ROLE_MAILBOXES].map(quoted), ', ').map((line) => `  ${line}`),
      '])',
    ],
  },
  {
    file: 'companies/company_key',
    source: 'pkg/domain/person-identity.ts',
    says: [
      'Form in which names of companies are compared: lower case, no accents, punctuation or legal form; the plain name',
      'where nothing else is left.',
    ],
    parameters: 'p_name text',
    returns: 'text',
    parallelSafe: true,
    body: [
      'with x as (select',
      "  app.plain_words(regexp_replace(replace(replace(p_name, 'ß', 'ss'), '&', ' and '), '[.'']', '', 'g')) as plain)",
      'select coalesce(nullif(btrim(regexp_replace(regexp_replace(plain,',
      "  '(?<=^| )('",
      ...wrapped(LEGAL_FORMS, '|').map((line) => `  ${quoted(line)}`),
      "  ')(?= |$)',",
      "  ' ', 'g'), ' +', ' ', 'g')), ''), plain) from x",
    ],
  },
  {
    file: 'companies/company_spellings',
    source: SPELLINGS,
    says: ["Every form in which an exclusion may name a company, its app.company_key too; '{}' for an empty name."],
    parameters: 'p_name text',
    returns: 'text[]',
    parallelSafe: true,
    body: [
      'with given as (select normalize(p_name, NFC) as n),',
      ...spellings([
        'select short,',
        ...cut('w', LEGAL_ENDS, -1),
        "  as k from (select short, app.company_key(replace(x, '’', '')) as w from spelt) a",
      ]),
      "select array(select k from (select k from forms union select app.company_key(p_name)) a where k <> '')",
    ],
  },
  {
    file: 'companies/key_spellings',
    source: SPELLINGS,
    says: ['The same of an app.company_key whose name has ASCII letters only.'],
    parameters: 'p_key text',
    returns: 'text[]',
    parallelSafe: true,
    body: [
      'select array(select distinct f from unnest(array[p_key, b.k,',
      `  ${contracted('b.k')}]) f where f <> '')`,
      'from (select',
      ...cut('p_key', LEGAL_ENDS, -1),
      '  as k) b',
    ],
  },
  {
    file: 'persons/person_spellings',
    source: SPELLINGS,
    says: [
      'Every form in which an exclusion may write the full name of a person: without title and degree, with the given name',
      "first, and as it is. '{}' for an empty name.",
    ],
    parameters: 'p_name text',
    returns: 'text[]',
    parallelSafe: true,
    body: [
      'with orders as (',
      '  select p_name as n',
      '  union all',
      "  select regexp_replace(p_name, '^([^,]+),([^,]+)$', '\\2 \\1') where p_name ~ '^[^,]+,[^,]+$'",
      '),',
      'given as (select normalize(n, NFC) as n from orders),',
      ...spellings([
        'select short,',
        ...cut('u', NAME_DEGREES, -1),
        '  as k from (select short,',
        ...cut('w', NAME_TITLES, 1),
        "  as u from (select short, app.plain_words(regexp_replace(x, '[''’ʼ`´]', '', 'g')) as w from spelt) a) a",
      ]),
      "select array(select k from (select k from forms union select app.plain_words(p_name)) a where k <> '')",
    ],
  },
  {
    file: 'suppression/keyword_words',
    source: SPELLINGS,
    says: ['Words of a keyword, and of what it is looked for in: each as it is, legal forms too.'],
    parameters: 'p_text text',
    returns: 'text',
    parallelSafe: true,
    body: [
      'select app.plain_words(regexp_replace(',
      "  replace(replace(replace(replace(p_text, 'ß', 'ss'), '&', ' and '), '+', ' plus '), '#', ' sharp '),",
      "  '[.'']', '', 'g'))",
    ],
  },
  {
    file: 'leads/folded',
    source: 'pkg/domain/fold-text.ts',
    says: [
      "A text in the two ways in which people leave accents out, one after the other: `Müller` is `muller mueller`. '' for a",
      'text of ASCII letters, which needs none. Its words stand beside those of the text in what searches look at.',
    ],
    parameters: 'p_text text',
    returns: 'text',
    parallelSafe: true,
    body: [
      'with x as (select normalize(p_text, NFC) as t),',
      `long as (select ${spelt('t', LONG)} as t from x),`,
      "spelt as (select x.t || ' ' || long.t as t from x, long)",
      "select case when p_text ~ '[^\\u0001-\\u007f]' then lower(normalize(regexp_replace(normalize(",
      `  ${spelt('t', PLAIN)},`,
      "  NFKD), '[\\u0300-\\u036f]', '', 'g'), NFC)) else '' end",
      'from spelt',
    ].flatMap((line) => line.split('\n').map((part, at) => (at === 0 ? part : `  ${part.trim()}`))),
  },
  {
    file: 'inbox/waits_for_person',
    source: REPLIES,
    says: ['Whether nobody is written to again by itself after an answer of this class, until a person decides.'],
    parameters: 'p_class text',
    returns: 'boolean',
    body: [`select coalesce(p_class, '') in ${wordList(WAITS_FOR_PERSON)}`],
  },
  {
    file: 'inbox/is_answer',
    source: REPLIES,
    says: ['Whether an inbound message of this class counts as a reply; one that nobody has classified does.'],
    parameters: 'p_class text',
    returns: 'boolean',
    body: [`select coalesce(p_class, '') not in ${wordList(NO_ANSWER)}`],
  },
  {
    file: 'inbox/has_replied',
    source: REPLIES,
    says: ['Whether the person of a run has replied, by the facts of the run.'],
    parameters: 'p_facts jsonb',
    returns: 'boolean',
    body: [
      "select coalesce((p_facts ->> 'replied')::boolean, false)",
      `  and coalesce(p_facts ->> 'replyClass', '') not in ${wordList(NO_ANSWER)}`,
    ],
  },
];
