import { expect } from 'chai';
import { isUuid, systemIds } from '../../../pkg/base/ids.ts';

describe('ids of this process', () => {
  it('are UUIDs of version 7 that rise, each another one', () => {
    const made = Array.from({ length: 5_000 }, () => systemIds.uuid());
    expect(made.every((id) => isUuid(id) && id[14] === '7' && /[89ab]/.test(id[19] ?? ''))).to.equal(true);
    expect([...made].sort()).to.deep.equal(made);
    expect(new Set(made.map((id) => id.slice(-12))).size, 'random parts').to.equal(made.length);
  });
});
