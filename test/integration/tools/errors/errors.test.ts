import { expect } from 'chai';
import { ALL_TOOLS } from '../../../../pkg/tools/registry.ts';
import { CATALOG } from '../../../contract/catalog.ts';
import { type ErrorFixture, startErrorFixture } from '../../../fixtures/tools/error-fixture.ts';
import { ALL_ERRORS } from './all-errors.ts';
import type { ErrorRow } from './error-row.ts';

const built = new Set<string>(ALL_TOOLS.map((tool) => tool.name));

/** The tool that the catalog points to for an error, while it exists. */
function pointerOf({ tool, error }: ErrorRow): string | undefined {
  const errors = CATALOG.tools.find((one) => one.name === tool)?.errors ?? [];
  const found = errors.find((one) => error === (one.recordType ? `not found ${one.recordType}` : one.condition));
  return found && built.has(found.pointsTo) ? found.pointsTo : undefined;
}

describe('errors of the catalog, each met by a call that names the next tool', function () {
  this.timeout(120_000);
  let fixture: ErrorFixture;
  before(async () => {
    fixture = await startErrorFixture();
  });
  after(() => fixture.stop());

  for (const row of ALL_ERRORS) {
    it(`${row.tool}: ${row.error.slice(0, 80)} (${row.text.source.slice(0, 40)})`, async () => {
      const said = await row.refused(fixture);
      expect(said).to.match(row.text);
      const pointer = pointerOf(row);
      if (pointer !== undefined) expect(said).to.contain(pointer);
    });
  }
});
