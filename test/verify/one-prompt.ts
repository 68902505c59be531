import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { houseFiles } from './house-files.ts';

/**
 * Every prompt is built by `buildPrompt` (pkg/domain/craft/build-prompt.ts), where words of others are kept apart from instructions. So
 * only the adapters reach a vendor's library, only the writer calls `buildPrompt`, and no question is put together anywhere else.
 */
const ADAPTERS = 'pkg/providers/ai/';
const BUILDER = 'pkg/domain/craft/build-prompt.ts';
const WRITER = `${ADAPTERS}model-writer.ts`;
const LIBRARY = /^(?:ai|@ai-sdk\/.*|openai|@anthropic-ai\/.*)$/;
/** Fields of a question: they are taken from a prompt, never written. */
const FIELDS = new Set(['system', 'user', 'prompt', 'instructions']);

/** What a file must not import; null: it may. */
function wrongImport(file: string, from: string): string | null {
  const adapter = file.startsWith(ADAPTERS);
  if (LIBRARY.test(from) && !adapter) return `${from} is reached by ${ADAPTERS} alone`;
  if (from.endsWith('/build-prompt.ts') && file !== WRITER) return `prompts are built for ${WRITER} alone`;
  if (/\/(?:chat-model|sdk-chat|sdk-request|vendor-model)\.ts$/.test(from) && !adapter)
    return `models are asked by ${ADAPTERS} alone`;
  return null;
}

/** What is wrong in a file, each with its line. */
export function promptsIn(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const say = (node: ts.Node, what: string): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    found.push(`${file}:${line + 1}: ${what}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const what = wrongImport(file, node.moduleSpecifier.text);
      if (what !== null) say(node, what);
    }
    if (file.startsWith(ADAPTERS) && ts.isPropertyAssignment(node) && FIELDS.has(node.name.getText(source))) {
      const { initializer } = node;
      if (!ts.isIdentifier(initializer) && !ts.isPropertyAccessExpression(initializer)) {
        say(node, `a question takes ${node.name.getText(source)} from a prompt as it is`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

if (process.argv[1]?.endsWith('one-prompt.ts')) {
  const files = houseFiles('pkg/**/*.ts', 'cmd/**/*.ts').filter(
    (file) => file !== BUILDER && !file.startsWith('cmd/sandbox/'),
  );
  const found = files.flatMap((file) => promptsIn(file, readFileSync(file, 'utf8')));
  for (const line of found) console.error(line);
  if (found.length > 0) process.exit(1);
}
