import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const CHECKOUT = new URL('../../', import.meta.url).pathname;

/** Pages for people who change the code: what they name must exist. */
export const NEWCOMER_PAGES: readonly string[] = [
  'docs/architecture.md',
  'docs/life-of-a-call.md',
  'docs/life-of-a-send.md',
  'docs/glossary.md',
  'docs/contributing.md',
  'docs/security.md',
  ...globSync('docs/{decisions,reference}/*.md', { cwd: CHECKOUT }).sort(),
];

export function textOf(file: string): string {
  return readFileSync(join(CHECKOUT, file), 'utf8');
}

/** What a page sets in backticks, without blocks of code. */
export function namesIn(page: string): string[] {
  const prose = textOf(page).replaceAll(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name);
}

/** A state machine as a set of `from -> to`. */
export type Machine = ReadonlySet<string>;

/** The diagram and the table of each `<!-- machine: name -->` of a page. */
export function machinesIn(page: string): { name: string; diagram: Machine; table: Machine }[] {
  const parts = textOf(page)
    .split(/<!-- machine: (\w+) -->/)
    .slice(1);
  return parts.flatMap((name, at) => {
    if (at % 2 === 1) return [];
    const text = parts[at + 1] ?? '';
    return [{ name, diagram: diagramOf(text), table: tableOf(text) }];
  });
}

function diagramOf(text: string): Machine {
  const body = /```mermaid\nstateDiagram-v2\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  return new Set([...body.matchAll(/^ {2}(\w+) --> (\w+)$/gm)].map(([, from, to]) => `${from} -> ${to}`));
}

/** Rows `| from, from | to, to | when |` of the first table. */
function tableOf(text: string): Machine {
  const table = /^\| from \| to \| when \|\n\|---\|---\|---\|\n((?:\|.*\|\n)+)/m.exec(text)?.[1] ?? '';
  const rows = [...table.matchAll(/^\| ([\w, ]+) \| ([\w, ]+) \| .+ \|$/gm)];
  return new Set(rows.flatMap(([, from = '', to = '']) => pairs(from.split(', '), to.split(', '))));
}

/**
 * A machine of the catalog, whose transitions read `a|b -> c|d (why) | e`; `any not ended` stands for every state that is no
 * end.
 */
export function catalogMachine(machine: { states: string[]; transitions: string[]; ended?: string[] }): Machine {
  const open = machine.states.filter((state) => !machine.ended?.includes(state));
  return new Set(
    machine.transitions.flatMap((line) => {
      const [from = '', to = ''] = line.replaceAll(/\([^)]*\)/g, '').split('->');
      return pairs(from.includes('any not ended') ? open : words(from), words(to));
    }),
  );
}

const words = (text: string): string[] => text.split('|').map((word) => word.trim());

function pairs(from: readonly string[], to: readonly string[]): string[] {
  return from.flatMap((a) => to.map((b) => `${a} -> ${b}`));
}
