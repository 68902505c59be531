import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { houseFiles } from './house-files.ts';

/** Columns of a line of SQL, in files and inside of TypeScript, where the formatter leaves texts as they are. */
const LIMIT = 120;
/** Migrations up to this number are released, and none of their bytes may change. */
const RELEASED = 683;
/** What a text of TypeScript begins with that is a statement, or a part of one. */
const STATEMENT = /^\s*\(?\s*(select|insert into|update|delete from|with|create|alter|from|join|where|and|or|exists) /i;
/** Shorter ones are words of a message. */
const SHORTEST = 40;
/** Settings of the planner stand in pkg/store/planner-profiles.ts with their reasons; functions name a profile. */
const PLANNER = /\bset\s+(enable_\w+|random_page_cost|jit|plan_cache_mode|max_parallel\w*)\b|set_config\('enable_/i;

interface Line {
  where: string;
  columns: number;
}

function isReleased(file: string): boolean {
  const number = /^pkg\/store\/migrations\/(\d{4})_/.exec(file)?.[1];
  return number !== undefined && Number(number) <= RELEASED;
}

function longLines(file: string, text: string, wanted: (line: number) => boolean): Line[] {
  return text.split('\n').flatMap((line, index) => {
    const columns = [...line].length;
    return columns > LIMIT && wanted(index) ? [{ where: `${file}:${index + 1}`, columns }] : [];
  });
}

/** Numbers of the lines on which texts stand that are SQL. */
function linesOfStatements(file: string, text: string): Set<number> {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    const isText =
      ts.isStringLiteral(node) || ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node);
    const text = isText ? node.getText() : '';
    if (text.length > SHORTEST && STATEMENT.test(text.slice(1))) {
      const [from, to] = [node.getStart(), node.end].map((at) => source.getLineAndCharacterOfPosition(at).line);
      for (let line = from ?? 0; line <= (to ?? 0); line++) lines.add(line);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}

const sql = houseFiles('*.sql').filter((file) => !isReleased(file));
const program = houseFiles('pkg/**/*.ts', 'cmd/**/*.ts');
const settings = sql
  .filter((file) => !file.startsWith('pkg/store/migrations/'))
  .flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (PLANNER.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
const found = [
  ...sql.flatMap((file) => longLines(file, readFileSync(file, 'utf8'), () => true)),
  ...program.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const lines = linesOfStatements(file, text);
    return longLines(file, text, (line) => lines.has(line));
  }),
];
for (const { where, columns } of found)
  console.error(`${where}: a line of SQL of ${columns} columns, more than ${LIMIT}`);
for (const line of settings) console.error(`${line} — name a profile of pkg/store/planner-profiles.ts instead`);
if (found.length + settings.length > 0) process.exit(1);
