import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { houseFiles } from './house-files.ts';

/** Functions fit a screen (docs/contributing.md): nine of ten of pkg and cmd are under this many lines. */
const P90_LIMIT = 45;

interface Measured {
  where: string;
  lines: number;
}

/** Named functions, methods and those that a name is given to by assignment; callbacks count with what they are in. */
function isNamed(node: ts.Node): boolean {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isConstructorDeclaration(node)) {
    return node.body !== undefined;
  }
  if (ts.isAccessor(node)) return node.body !== undefined;
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return false;
  return ts.isVariableDeclaration(node.parent) || ts.isPropertyAssignment(node.parent);
}

function measure(file: string): Measured[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const line = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  const found: Measured[] = [];
  const visit = (node: ts.Node): void => {
    if (isNamed(node)) {
      const first = line(node.getStart());
      found.push({ where: `${file}:${first + 1}`, lines: line(node.end) - first + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const sizes = houseFiles('pkg/**/*.ts', 'pkg/**/*.tsx', 'cmd/**/*.ts')
  .flatMap(measure)
  .sort((a, b) => a.lines - b.lines);
const at = (share: number): number => sizes[Math.floor((sizes.length - 1) * share)]?.lines ?? 0;
const longest = sizes.at(-1);
console.log(
  `${sizes.length} functions, median ${at(0.5)} lines, nine of ten up to ${at(0.9)}, longest ${longest?.lines} (${longest?.where})`,
);
if (at(0.9) >= P90_LIMIT) {
  console.error(`Nine of ten functions must be under ${P90_LIMIT} lines; the longest ones, to be split by concern:`);
  for (const { where, lines } of sizes.slice(-20).reverse()) console.error(`${where}: ${lines} lines`);
  process.exit(1);
}
