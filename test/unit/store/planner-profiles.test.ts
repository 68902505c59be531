import { expect } from 'chai';
import { withProfiles } from '../../../pkg/store/planner-profiles.ts';

const head = (marker: string): string => `create function app.x() returns int language sql
  set search_path = outrider
  ${marker}
  as $$ select 1 $$;`;

describe('planner profiles', () => {
  it('a function that names one carries its settings, in the place of the name', () => {
    const text = withProfiles(head('-- planner: by_index'));
    expect(text).to.match(/set search_path = outrider\n {2}set enable_seqscan = off\n/);
    expect(text).to.match(/set plan_cache_mode = force_generic_plan\n {2}as \$\$/);
    expect(text).not.to.include('planner');
  });

  it('a body that names one sets it for the rest of the transaction', () => {
    const text = withProfiles('  begin\n    -- planner: by_index for the transaction\n  end');
    expect(text).to.match(/^ {2}begin\n {4}perform set_config\('enable_seqscan', 'off', true\), .*;\n {2}end$/);
  });

  it('a name that is none fails, and is said', () => {
    expect(() => withProfiles(head('-- planner: by_luck'))).to.throw('no planner profile "by_luck"');
  });

  it('a function without one stays as it is', () => {
    expect(withProfiles(head('-- Plans are the caller’s.'))).to.equal(head('-- Plans are the caller’s.'));
  });
});
