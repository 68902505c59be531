import { writeFileSync } from 'node:fs';
import { Database } from '../../pkg/postgres/database.ts';
import { startPostgres } from '../tools/postgres.ts';
import { benchScoring, SCORING_LIMIT_S } from './scoring.ts';

/** `make bench-scoring`: rescoring of 100,000 leads; OUT=file writes the figures as JSON; fails above the limit. */
const postgres = await startPostgres();
try {
  const urls = await postgres.product();
  const db = new Database({ url: urls.appUrl, max: 4, applicationName: 'bench' });
  const figures = await benchScoring(db);
  await db.close();
  console.log(
    `scoring            ${figures.leads} leads first scored in ${figures.firstPassSeconds.toFixed(1)} s, rescored in ${figures.rescoreSeconds.toFixed(1)} s (limit ${SCORING_LIMIT_S} s)`,
  );
  const file = process.env['OUT'];
  if (file) writeFileSync(file, `${JSON.stringify({ ...figures, limitSeconds: SCORING_LIMIT_S }, null, 2)}\n`);
  if (figures.rescoreSeconds > SCORING_LIMIT_S) process.exitCode = 1;
} finally {
  await postgres.stop();
}
