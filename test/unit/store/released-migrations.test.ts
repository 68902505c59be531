import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { migrationProblems, type ReleasedMigrations, withRelease } from '../../../cmd/generate/released-migrations.ts';
import type { Migration } from '../../../pkg/postgres/sql-files.ts';
import { readSchema } from '../../../pkg/store/migrations.ts';

const RELEASED = new URL('../../../pkg/store/migrations/released.json', import.meta.url);

const made = (name: string, checksum: string): Migration => ({
  version: Number(name.slice(0, 4)),
  name,
  files: [],
  checksum,
});

describe('released migrations never change', () => {
  const released = { '1.0.0': { '0600_base': 'aa', '0610_more.sql': 'bb' }, '1.1.0': { '0620_last.sql': 'cc' } };
  const all = [made('0600_base', 'aa'), made('0610_more.sql', 'bb'), made('0620_last.sql', 'cc')];

  it('those of this program are as they were released', async () => {
    const noted = JSON.parse(await readFile(RELEASED, 'utf8')) as ReleasedMigrations;
    const { migrations } = await readSchema();
    expect(Object.keys(noted)).to.include('0.1.0');
    expect(migrationProblems(migrations, noted)).to.deep.equal([]);
  });

  it('one that differs, one that is gone and a new one with a number of the past are told by name', () => {
    expect(migrationProblems(all, released)).to.deep.equal([]);
    expect(migrationProblems([...all, made('0621_new.sql', 'dd')], released)).to.deep.equal([]);
    const changed = all.map((one) => (one.version === 610 ? { ...one, checksum: 'other' } : one));
    expect(migrationProblems(changed, released).join()).to.match(
      /0610_more.sql was released with 1.0.0 and has changed/,
    );
    expect(migrationProblems(all.slice(0, 2), released).join()).to.match(/0620_last.sql .* is gone/);
    expect(migrationProblems([...all, made('0611_late.sql', 'dd')], released).join()).to.match(
      /0611_late.sql .* above 620/,
    );
  });

  it('a release notes what no earlier one had; made again it notes that anew and leaves the earlier ones alone', () => {
    const more = [...all, made('0630_new.sql', 'dd')];
    const noted = withRelease(released, '1.2.0', more);
    expect(noted['1.2.0']).to.deep.equal({ '0630_new.sql': 'dd' });
    const again = withRelease(noted, '1.2.0', [
      ...more.slice(0, 3),
      made('0630_new.sql', 'ee'),
      made('0640_x.sql', 'ff'),
    ]);
    expect(again).to.deep.equal({ ...released, '1.2.0': { '0630_new.sql': 'ee', '0640_x.sql': 'ff' } });
  });
});
