import { LONG, PLAIN } from '../../../pkg/domain/fold-text.ts';
import { ROLE_MAILBOXES } from '../../../pkg/domain/mail-identity.ts';
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
