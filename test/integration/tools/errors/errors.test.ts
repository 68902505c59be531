import { expect } from 'chai';
import { ALL_TOOLS } from '../../../../pkg/tools/registry.ts';
import { CATALOG } from '../../../contract/catalog.ts';
import { absentOf } from '../../../fixtures/tools/absent-records.ts';
import { type ErrorFixture, startErrorFixture } from '../../../fixtures/tools/error-fixture.ts';
import { NOBODY } from '../../../fixtures/tools/mcp-fixture.ts';
import type { ToolUser } from '../../../tools/mcp-tools.ts';
import { ALL_ERRORS } from './all-errors.ts';
import type { ErrorRow } from './error-row.ts';

const built = new Set<string>(ALL_TOOLS.map((tool) => tool.name));

/** The tool that the catalog points to for an error, while it exists. */
function pointerOf({ tool, error }: ErrorRow): string | undefined {
  const errors = CATALOG.tools.find((one) => one.name === tool)?.errors ?? [];
  const found = errors.find((one) => error === (one.recordType ? `not found ${one.recordType}` : one.condition));
  return found && built.has(found.pointsTo) ? found.pointsTo : undefined;
}

/** The same, but that before a call of the tool is refused it is made with each of its records missing. */
function withAbsences(fixture: ErrorFixture, tool: string): ErrorFixture {
  const watched = (user: ToolUser): ToolUser => ({
    ...user,
    async refusal(name, input = {}) {
      const absences = name === tool ? absentOf(name, input) : [];
      for (const { label, wrong } of absences)
        expect(await user.refusal(name, wrong), JSON.stringify(wrong)).to.contain(
          `${label} "${NOBODY}" was not found.`,
        );
      return user.refusal(name, input);
    },
  });
  const entries = Object.entries(fixture).map(([name, value]) => [name, isUser(value) ? watched(value) : value]);
  return Object.fromEntries(entries) as ErrorFixture;
}

function isUser(value: unknown): value is ToolUser {
  return typeof value === 'object' && value !== null && 'refusal' in value && 'again' in value;
}

describe('errors of the catalog, each met by a call that names the next tool', function () {
  this.timeout(120_000);
  let fixture: ErrorFixture;
  before(async () => {
    fixture = await startErrorFixture();
  });
  after(() => fixture.stop());

  for (const row of ALL_ERRORS) {
    const ofState = row.error.startsWith('wrong state');
    const first = ofState ? '; its records are looked for before' : '';
    it(`${row.tool}: ${row.error.slice(0, 80)} (${row.text.source.slice(0, 40)})${first}`, async () => {
      const said = await row.refused(ofState ? withAbsences(fixture, row.tool) : fixture);
      expect(said).to.match(row.text);
      const pointer = pointerOf(row);
      if (pointer !== undefined) expect(said).to.contain(pointer);
    });
  }
});
