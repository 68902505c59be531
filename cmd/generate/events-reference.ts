import { EVENT_KINDS, type EventKind } from '../../pkg/domain/event-kinds.ts';
import { EVENT_DEFINITIONS } from '../../pkg/events/event-definitions.ts';
import { sampleEnvelope } from '../../pkg/events/event-envelope.ts';
import { keepFile } from './keep-file.ts';

/** Writes docs/events.md from the definitions; `--check` fails when it is not up to date. */
const HEAD = `# Events

Generated from \`pkg/events\` by \`make generate\`.

Whatever happens in a workspace is written down once, in the transaction in which it happens. After the commit it gets
the next number of its workspace (\`sequence\`: 1, 2, 3 …). Who reads by these numbers misses nothing: no event comes later below
one that was there. Histories of runs, notifications and webhooks tell of the same events.

An event names records by their ids; an import or a rescore tells of a chunk of up to 1,000 leads in one event. A kind
can be followed with the scope that its line names, and no longer once the scope is lost.

Every event comes in the same envelope:

\`\`\`json
${JSON.stringify(sampleEnvelope('reply.received'), null, 2)}
\`\`\`
`;

function lineOf(kind: EventKind): string {
  const { says, deed, scope } = EVENT_DEFINITIONS[kind];
  return `| \`${kind}\` | ${says} | ${deed} | \`${scope}\` |`;
}

const table = ['| kind | what happened | caused when | scope |', '|---|---|---|---|', ...EVENT_KINDS.map(lineOf)].join(
  '\n',
);
const samples = EVENT_KINDS.map(
  (kind) => `### ${kind}\n\n\`\`\`json\n${JSON.stringify(EVENT_DEFINITIONS[kind].sample, null, 2)}\n\`\`\`\n`,
).join('\n');
keepFile('docs/events.md', `${HEAD}\n## Kinds\n\n${table}\n\n## \`data\` of each kind\n\n${samples}`);
