import { writeFileSync } from 'node:fs';
import { Database } from '../../pkg/postgres/database.ts';
import { startPostgres } from '../tools/postgres.ts';
import { AGENT_LIMIT_MB, AGENT_LIMIT_S, benchAgents, inProcess } from './agents.ts';
import type { MorningFigures } from './agents-morning.ts';

/** `make bench-agents`: one agent decides about 100,000 stored signals, and one process works for 100 workspaces whose 1,000 agents are due at six; OUT=file writes the figures as JSON; fails above the limits. */
const postgres = await startPostgres();
try {
  const urls = await postgres.product();
  const db = new Database({ url: urls.appUrl, max: 4, applicationName: 'bench' });
  const figures = await benchAgents(db, urls.appUrl, Number(process.env['SIGNALS'] ?? 100_000));
  await db.close();
  for (const { people, seconds, cpuSeconds, databaseSeconds, signals, peakMb } of figures)
    console.log(
      `agents             ${signals} signals of ${people} people decided in ${seconds.toFixed(1)} s (limit ${AGENT_LIMIT_S} s), ${cpuSeconds.toFixed(1)} s of a processor in its own process and ${databaseSeconds?.toFixed(1) ?? 'unknown'} s in the database, ${peakMb} MB at most (limit ${AGENT_LIMIT_MB} MB)`,
    );
  const morning = await inProcess<MorningFigures>(
    'morning',
    urls.appUrl,
    urls.executorUrl,
    process.env['WORKSPACES'] ?? '100',
  );
  const { workspaces, agents, finished, mostInAMinute, lateMs, furtherMs } = morning;
  console.log(
    `agents at six      ${finished} of ${agents} agents of ${workspaces} workspaces finished by one process, ${mostInAMinute} at most in a minute, over ${lateMs.median} ms after they were due (median; ${lateMs.most} at most), ${morning.peakMb} MB`,
  );
  console.log(
    `a further one      over ${furtherMs.morning.median} ms after it was due (${furtherMs.morning.most} at most); quiet ${furtherMs.quiet.median} ms (${furtherMs.quiet.most})`,
  );
  const file = process.env['OUT'];
  const limits = { limitSeconds: AGENT_LIMIT_S, limitMb: AGENT_LIMIT_MB };
  if (file) writeFileSync(file, `${JSON.stringify({ runs: figures, morning, ...limits }, null, 2)}\n`);
  if (finished < agents || figures.some(({ seconds, peakMb }) => seconds > AGENT_LIMIT_S || peakMb > AGENT_LIMIT_MB))
    process.exitCode = 1;
} finally {
  await postgres.stop();
}
