import { expect } from 'chai';
import { UserError } from '../../../pkg/base/errors.ts';
import { ParsePool } from '../../../pkg/base/foreign-bytes/parse-pool.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { type ImportFile, readFile } from '../../../pkg/tools/leads/csv/read-file.ts';
import { HOSTILE_CSV, honestCsv } from '../../fixtures/foreign-bytes/hostile-csv.ts';

/** Half the heap that a worker has: an honest file must fit well. */
const WORKER_MB = 80;
/** MB of the process that asks. */
const CALLER_MB = 32;
const PROGRAM = new URL('../../../pkg/tools/leads/csv/csv-worker.ts', import.meta.url);

describe('a hostile file of leads', function () {
  this.timeout(240_000);
  const pool = new ParsePool(PROGRAM, { workers: 1, heapMb: WORKER_MB, withinMs: 200_000, queued: 8, queuedOfOne: 8 });
  const read = (csv: string): Promise<ImportFile | UserError> => {
    return readFile({ ids: systemIds, workspaceId: 'acme' }, { csv }, pool).catch((error: unknown) => {
      if (error instanceof UserError) return error;
      throw error;
    });
  };

  after(() => pool.close());

  for (const [what, make] of Object.entries(HOSTILE_CSV)) {
    it(`of ${what} is refused in words or read, and costs the process nothing`, async () => {
      const csv = make();
      const before = process.memoryUsage().heapUsed;
      const file = await read(csv);
      expect((process.memoryUsage().heapUsed - before) / 1e6, 'MB here').to.be.below(CALLER_MB);
      if (file instanceof UserError) expect(file.message).to.match(/^Invalid input: csv: .*svc_import_leads_csv/s);
      else expect(file.leads.length).to.be.at.most(10_000);
    });
  }

  it('takes nothing from an honest one of the same size', async () => {
    const file = await read(honestCsv());
    expect(file instanceof UserError ? file.message : file.leads.length).to.equal(10_000);
  });

  it('names as many columns as a file may have, and is told the bound', async () => {
    const error = await read(`email${',c'.repeat(2_000)}\na@b.example`);
    expect(error instanceof UserError && error.message).to.contain('names more than 2000 columns');
  });
});
