import { startPostgres } from '../../tools/postgres.ts';
import { fill } from './fill.ts';
import { ProductExecutor } from './product.ts';
import { POSTGRES, type Shape } from './settings.ts';

const runs = Number(process.env['RUNS'] ?? 1_000_000);
const shapes = (process.env['SHAPES'] ?? 'plain').split(',') as Shape[];
const rounds = Number(process.env['ROUNDS'] ?? 3);
const postgres = await startPostgres(POSTGRES);
try {
  const urls = await postgres.product();
  for (const shape of shapes) {
    console.time('fill');
    const filled = await fill(urls.superuserUrl, shape, runs);
    console.timeEnd('fill');
    const executor = await ProductExecutor.start(urls, filled);
    for (let round = 0; round < rounds; round++) console.log(shape, await executor.round(5_000, 3_000));
    console.log(await executor.stop());
  }
} finally {
  await postgres.stop();
}
