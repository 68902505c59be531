import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { houseFiles } from './house-files.ts';

/** Only pkg/store writes rows (docs/contributing.md); everything else reads, or calls what stands there. */
const WRITE =
  /\b(insert\s+into\s+[\w.]+|update\s+[a-z_.]+(\s+(as\s+)?[a-z]+)?\s+set\s+(\S+\s*=|\$\{)|delete\s+from\s+[\w.]+|merge\s+into\s+\w+\s+using)/i;
/** Other stores: the embedded Kubernetes API's objects, the migrator's own tables, the sandbox's SQLite. */
const OTHER_STORES = ['pkg/store/', 'pkg/postgres/migrate.ts', 'pkg/standalone/kubeapi/', 'cmd/sandbox/'];

/** The console's server reaches data of tenants by tools alone: it has no statement of its own. */
const NO_STATEMENTS = 'pkg/mcp/console/';
const READ = /\bselect\s[^;]+?\sfrom\s+[a-z_]+/i;

function statementIn(file: string, text: string): RegExpExecArray | null {
  return WRITE.exec(text) ?? (file.startsWith(NO_STATEMENTS) ? READ.exec(text) : null);
}

function writesOf(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isText =
      ts.isStringLiteral(node) || ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node);
    const write = isText ? statementIn(file, node.getText()) : null;
    if (write)
      found.push(
        `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${write[0].replace(/\s+/g, ' ')}`,
      );
    else ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const found = houseFiles('pkg/**/*.ts', 'cmd/**/*.ts')
  .filter((file) => !OTHER_STORES.some((store) => file.startsWith(store)))
  .flatMap(writesOf);
for (const where of found) console.error(where);
if (found.length > 0) {
  console.error(
    'Writes, and all statements that the console’s server needs, live in pkg/store/<aggregate>/: move the statement into a function there and call it.',
  );
  process.exit(1);
}
