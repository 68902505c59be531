import { expect } from 'chai';
import { systemIds } from '../../../pkg/base/ids.ts';
import { LimitedCalls } from '../../../pkg/mcp/limited-calls.ts';
import { inputHash } from '../../../pkg/store/audit/audit.ts';
import type { AnyTool } from '../../../pkg/tools/tool.ts';
import type { Caller } from '../../../pkg/tools/tool-context.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

const tool = (name: string): AnyTool => ({ name }) as AnyTool;
const caller = { keyId: 'k', keyType: 'user', keyPrefix: 'ork_', workspaces: [] } as unknown as Caller;

describe('calls that a limit refused', () => {
  it('leave the hash of their input, as every call does', () => {
    const calls = new LimitedCalls(systemIds, new FakeClock());
    const input = { campaignId: 'camp-1' };
    calls.add(caller, tool('svc_get_campaign'), input);
    expect(calls.take().records.map((record) => record.inputHash)).to.deep.equal([inputHash(input)]);
  });

  it('leave one record per tool, which tells how many there were and whose hash changes with any of the inputs', () => {
    const hashOf = (inputs: object[]): string | undefined => {
      const calls = new LimitedCalls(systemIds, new FakeClock());
      for (const input of inputs) calls.add(caller, tool('svc_get_lead'), input);
      calls.add(caller, tool('svc_whoami'), undefined);
      const { records, lost } = calls.take();
      expect(records.map((record) => record.calls)).to.deep.equal([inputs.length, 1]);
      expect(lost).to.equal(0);
      expect(calls.take().records, 'what was taken begins anew').to.deep.equal([]);
      return records[0]?.inputHash;
    };
    const [a, b, c] = [{ leadId: 'a' }, { leadId: 'b' }, { leadId: 'c' }];
    expect(hashOf([a, b]))
      .to.equal(hashOf([a, b]))
      .and.to.match(/^[0-9a-f]{64}$/);
    expect(new Set([hashOf([a, b]), hashOf([b, a]), hashOf([a, c]), hashOf([a, b, b])]).size).to.equal(4);
  });
});
