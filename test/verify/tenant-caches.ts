import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { houseFiles } from './house-files.ts';

/**
 * A process of the pool serves many workspaces (docs/decisions/0036-pooled-executors.md), so what outlives a call in pkg/engine,
 * pkg/nodes and pkg/providers is either of one engine, or its key says whose it is, or what it holds is nobody's. Each such
 * container stands here with the reason; a new one fails until somebody has judged it.
 */
const ROOMS = ['pkg/engine/*.ts', 'pkg/nodes/*.ts', 'pkg/providers/*.ts'];

/** Made with each WorkspaceEngine, or with what is made with one, and gone with it. */
const ENGINE = 'of one engine';
/** Made for one call, one batch or one round, and gone with it. */
const ROUND = 'of one call, batch or round';
/** What it keeps is nobody's: words, adapters, connections, what an address can. */
const NOBODY = "nobody's";

export const KEPT: Readonly<Record<string, string>> = {
  'pkg/engine/calendar/calendar-rounds.ts #busy': ENGINE,
  'pkg/engine/ledger/batcher.ts #queue': ENGINE,
  'pkg/engine/ledger/outage-watch.ts #answeredAt': ENGINE,
  'pkg/engine/ledger/outage-watch.ts #away': ENGINE,
  'pkg/engine/ledger/outage-watch.ts #back': ENGINE,
  'pkg/engine/ledger/outage-watch.ts #wokenAt': ENGINE,
  'pkg/engine/ledger/under-way.ts #jobs': ENGINE,
  'pkg/engine/ledger/under-way.ts #waiting': ENGINE,
  'pkg/engine/lookups/known-for.ts #since': ENGINE,
  'pkg/engine/loop/continuations.ts #gathering': ENGINE,
  'pkg/engine/loop/continuations.ts #waiting': ENGINE,
  'pkg/engine/loop/dequeue-floor.ts #lanes': ENGINE,
  'pkg/engine/pool/serve-workspace.ts openMonths': `${NOBODY}: months of history`,
  'pkg/engine/restore/account-guard.ts #failed': ENGINE,
  'pkg/engine/sources/source-pace.ts #spent': ENGINE,
  'pkg/engine/sources/source-pace.ts #until': ENGINE,
  'pkg/engine/sources/source-rounds.ts #places': ENGINE,
  'pkg/engine/walk/fact-needs.ts #sending': ENGINE,
  'pkg/engine/walk/fact-needs.ts #waiting': ENGINE,
  'pkg/engine/walk/graph-cache.ts #graphs': ENGINE,
  'pkg/engine/lease/pipe-lease-source.ts #waiting': 'by the number of the question',
  'pkg/engine/pool/fair-gate.ts #guests': 'by workspace',
  'pkg/engine/pool/pool-host.ts #leaving': 'by workspace',
  'pkg/engine/pool/pool-host.ts #served': 'by workspace',
  'pkg/engine/settings.ts known': 'by the row of a batch, as an object',
  'pkg/engine/settings.ts knownHours': `${NOBODY}: hours as they were given, by their own text`,
  'pkg/engine/walk/load-batch.ts known': 'by a compiled graph, as an object, which is of one engine',
  'pkg/engine/walk/step-done.ts known': 'by a node of a compiled graph, as an object, which is of one engine',
  'pkg/engine/content/load-media.ts ROOM': `${NOBODY}: room on the disk, given in the order in which it was asked for`,
  'pkg/engine/content/media-room.ts #waiting': `${NOBODY}: who waits for room on the disk`,
  'pkg/engine/walk/fact-reads.ts #details': ROUND,
  'pkg/engine/walk/fact-reads.ts #facts': ROUND,
  'pkg/engine/watches/check-draft.ts findings': ROUND,
  'pkg/engine/watches/check-draft.ts notes': ROUND,
  'pkg/engine/watches/check-draft.ts seenItems': ROUND,
  'pkg/providers/calendar/ical/zone-table.ts known': `${ROUND}: of one calendar that is read`,
  'pkg/providers/mail/inbox-reading.ts mails': ROUND,
  'pkg/providers/mail/inbox-reading.ts skipped': ROUND,
  'pkg/providers/network/unipile-adapter.ts unsupported': `${NOBODY}: words`,
  'pkg/engine/restore/provider-traces.ts chats': ROUND,
  'pkg/engine/restore/provider-traces.ts profiles': ROUND,
  'pkg/engine/walk/fact-reads.ts #acting': ROUND,
  'pkg/engine/walk/fact-reads.ts #detailed': ROUND,
  'pkg/providers/ai/own-writer.ts learntOf': `${NOBODY}: what the model behind an address can, by address and model`,
  'pkg/providers/calendar/ical/read-events.ts shared': `${NOBODY}: workers, which take turns by tenant and keep nothing`,
  'pkg/providers/calendar/ical/zone-names.ts byCity': `${NOBODY}: names of zones`,
  'pkg/providers/mail/mail-parser.ts shared': `${NOBODY}: workers, which take turns by tenant and keep nothing`,
  'pkg/providers/mail/mail-providers.ts adapters': `${NOBODY}: adapters, which take each mailbox as a parameter`,
  'pkg/providers/network/network-providers.ts adapters': `${NOBODY}: adapters, which take each account as a parameter`,
  'pkg/providers/network/unipile-engagement.ts #owners':
    'by the id that the provider gave the account, which no other has',
  'pkg/providers/outside-http.ts agents': `${NOBODY}: connections, by reach; credentials go with each request`,
};

const CONTAINERS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet']);
/** Objects of the platform that keep nothing between two uses. */
const PLAIN = new Set(['RegExp', 'TextDecoder', 'TextEncoder', 'Date', 'URL', 'Error', 'BlockList']);
const CHANGES = ['set', 'add', 'delete', 'clear', 'push', 'unshift', 'splice', 'shift', 'pop'];

/** Names of the containers of a file that outlive a call: fields, variables of the module, and those that closures carry away. */
export function keptIn(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyDeclaration(node) && isContainer(node.initializer)) found.add(node.name.getText(source));
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) {
      const name = node.name.text;
      const isModule = ts.isSourceFile(node.parent.parent.parent);
      const changes = CHANGES.some((change) => new RegExp(`\\b${name}\\.${change}\\(`).test(text));
      const isLet = (node.parent as ts.VariableDeclarationList).flags & ts.NodeFlags.Let;
      if (isModule && (isLet || (changes && isContainer(node.initializer)) || isOwnObject(node.initializer)))
        found.add(name);
      if (!isModule && isContainer(node.initializer) && isCarriedAway(node, name)) found.add(name);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found].map((name) => `${file} ${name}`).sort();
}

function isContainer(made: ts.Expression | undefined): boolean {
  if (!made) return false;
  if (ts.isArrayLiteralExpression(made)) return made.elements.length === 0;
  return ts.isNewExpression(made) && ts.isIdentifier(made.expression) && CONTAINERS.has(made.expression.text);
}

/** An object of a class of ours, which may keep anything. */
function isOwnObject(made: ts.Expression | undefined): boolean {
  if (!made || !ts.isNewExpression(made) || !ts.isIdentifier(made.expression)) return false;
  return !CONTAINERS.has(made.expression.text) && !PLAIN.has(made.expression.text);
}

/** A function that its function returns uses it. */
function isCarriedAway(node: ts.VariableDeclaration, name: string): boolean {
  const body = node.parent.parent.parent;
  if (!ts.isBlock(body)) return false;
  return body.statements.some((statement) => {
    if (!ts.isReturnStatement(statement) || !statement.expression) return false;
    const returned = statement.expression;
    return (
      (ts.isArrowFunction(returned) || ts.isFunctionExpression(returned)) &&
      new RegExp(`\\b${name}\\b`).test(returned.getText())
    );
  });
}

if (process.argv[1]?.endsWith('tenant-caches.ts')) {
  const found = houseFiles(...ROOMS).flatMap((file) => keptIn(file, readFileSync(file, 'utf8')));
  const unjudged = found.filter((one) => !(one in KEPT));
  const gone = Object.keys(KEPT).filter((one) => !found.includes(one));
  for (const one of unjudged)
    console.error(
      `${one}: outlives a call in a process that serves many workspaces; say in test/verify/tenant-caches.ts by what it is keyed.`,
    );
  for (const one of gone) console.error(`${one}: is not there any more; take it out of test/verify/tenant-caches.ts.`);
  if (unjudged.length + gone.length > 0) process.exit(1);
}
