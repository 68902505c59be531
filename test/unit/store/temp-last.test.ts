import { expect } from 'chai';
import { withTempLast } from '../../../pkg/store/temp-last.ts';

const definer = (attribute: string): string => `create or replace function app.x() returns int
  language sql security definer
  ${attribute}
  as $$ select 1 $$;`;

describe("a definer's search_path", () => {
  it('ends with the temporary schema, whatever its file says', () => {
    const text = withTempLast(definer('set search_path = outrider, app, pg_catalog'));
    expect(text).to.include('\n  set search_path = outrider, app, pg_catalog, pg_temp\n');
    expect(withTempLast(text)).to.equal(text);
    expect(withTempLast(definer('set search_path = pg_temp, outrider'))).to.include('= outrider, pg_temp\n');
  });

  it('is asked for: a function without one does not reach the database', () => {
    expect(() => withTempLast(definer('stable'))).to.throw('pins its search_path');
    const invoker = definer('stable').replace(' security definer', '');
    expect(withTempLast(invoker)).to.equal(invoker);
  });
});
