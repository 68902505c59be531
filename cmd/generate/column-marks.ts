import { COLUMN_MARKS } from '../../pkg/store/erasure/column-marks.ts';
import type { TableMarks } from '../../pkg/store/erasure/table-marks.ts';
import { keepFile } from './keep-file.ts';

/** Writes the marks of the columns as a function of the database; `--check` fails when it is not up to date. */
const HEAD = `-- Written by make generate from pkg/store/erasure/column-marks.ts.
-- Returns the tables of which an erasure, a purge or a retention takes something, with their marks: which rows t are
-- about a person and which a workspace leaves (conditions, $1 is an app.erasure_subject), what becomes of them, and
-- of rows that name the person (cut, empty, delete, no), the marked columns, keys of calls, which columns are facts,
-- which rows a workspace knows the person by (a condition; empty: none), and which rows stay as they are for now.
create or replace function app.column_marks()
  returns table (
    table_name text, person text, row_act text, mention_act text, workspace text, left_act text,
    erased text[], hashed text[], emptied jsonb, keyed text[], facts text[], known_by text, stays text
  )
  language sql immutable
  as $$
    values`;
const TAIL = `  $$;

revoke execute on function app.column_marks() from public;
grant execute on function app.column_marks() to outrider_definer;
`;
const MOST_COLUMNS = 116;

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const words = (text = ''): string[] => text.split(/\s+/).filter((word) => word !== '');
const array = (text: string | undefined): string => `'{${words(text).join(',')}}'::text[]`;

/** A condition in the words of the marks: `s` is the statement's parameter, and white space is one blank. */
function condition(text: string): string {
  return literal(text.replace(/\s+/g, ' ').replace(/\bs\.(?=[a-z])/g, '($1).'));
}

function valuesOf(table: string, marks: TableMarks): string {
  const none = words(marks.none).includes('workspace_id');
  const parts = [
    literal(table.includes('.') ? table : `outrider.${table}`),
    condition(marks.person ?? ''),
    literal(marks.rows ?? 'empty'),
    literal(marks.mentions ?? 'cut'),
    condition(marks.workspace ?? (none ? 't.workspace_id = s.workspace_id' : '')),
    literal(marks.left ?? 'empty'),
    array(marks.erase),
    array(marks.hash),
    `${literal(JSON.stringify(marks.emptied ?? {}))}::jsonb`,
    array(marks.keys),
    array(marks.facts),
    condition(marks.knownBy ?? (marks.workspace || (none ? 't.workspace_id = s.workspace_id' : ''))),
    condition(marks.stays ?? ''),
  ];
  return `      (\n${wrapped(parts)}\n      )`;
}

function wrapped(parts: readonly string[]): string {
  const lines: string[] = [];
  for (const [index, part] of parts.entries()) {
    const piece = index < parts.length - 1 ? `${part},` : part;
    const last = lines.at(-1);
    if (last !== undefined && last.length + piece.length + 1 <= MOST_COLUMNS)
      lines[lines.length - 1] = `${last} ${piece}`;
    else lines.push(...folded(`        ${piece}`));
  }
  return lines.join('\n');
}

/** A literal that is too long goes on in the next line: SQL joins what stands under each other. */
function folded(line: string): string[] {
  if (line.length <= MOST_COLUMNS) return [line];
  const cast = /(,?)$/.exec(line)?.[1] ?? '';
  const text = cast === '' ? line : line.slice(0, -1);
  const isArray = text.endsWith('::text[]');
  const at = text.lastIndexOf(isArray ? ',' : ' ', MOST_COLUMNS - 2) + 1;
  return [`${text.slice(0, at)}'`, ...folded(`        '${text.slice(at)}${cast}`)];
}

const marked = Object.entries(COLUMN_MARKS).filter(
  ([, marks]) =>
    marks.erase !== undefined ||
    marks.hash !== undefined ||
    marks.keys !== undefined ||
    marks.rows === 'delete' ||
    marks.left === 'delete',
);
keepFile(
  'pkg/store/erasure/column_marks.sql',
  [HEAD, `${marked.map(([table, marks]) => valuesOf(table, marks)).join(',\n')}`, TAIL].join('\n'),
);
