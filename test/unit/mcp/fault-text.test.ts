import { expect } from 'chai';
import { faultText } from '../../../pkg/mcp/fault-text.ts';
import { takesKey } from '../../../pkg/tools/idempotency/key-of-call.ts';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';

// Source: catalog, commonErrors (unexpected fault).
describe('the text of a fault', () => {
  it('advises an idempotencyKey where the tool takes one, and nowhere else', () => {
    for (const tool of ALL_TOOLS) {
      for (const fault of ['away', 'met', 'failed'] as const) {
        const text = faultText(fault, tool, 'r-1');
        expect(text.includes('idempotencyKey'), text).to.equal(takesKey(tool));
        expect(text).to.contain(tool.name).and.contain('(reference r-1)');
      }
    }
  });

  it('says to call a tool that creates again within the minute for which the call is known', () => {
    const texts = (name: string): string => {
      const tool = ALL_TOOLS.find((one) => one.name === name);
      return tool ? faultText('failed', tool, 'r-1') : '';
    };
    expect(texts('svc_create_campaign')).to.equal(
      'svc_create_campaign failed on our side (reference r-1). Retry with the same input within a minute, so that nothing is made twice; if it stays, call svc_diagnose.',
    );
    expect(texts('svc_regenerate_playbook')).to.contain('Retry with the same idempotencyKey; if it stays');
    expect(texts('svc_list_campaigns')).to.contain('Retry; if it stays');
  });
});
