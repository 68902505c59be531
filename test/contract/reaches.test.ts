import { expect } from 'chai';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';

/** Words that say that something goes out, is let go, or is paid for. */
const SAYS_SO =
  /^svc_(admin_link|approve|bulk|connect|control|craft|create_api_key|create_invitation|enrich|follow|comment|like|publish|queue|resume|retry|run|schedule|send|toggle|trigger|regenerate|upsert_automation|update_workflow)/;
/** Writes to outside that reach nobody and cost nothing, each with its reason. */
const ASKS_ONLY: Readonly<Record<string, string>> = {
  svc_refresh_inbox: 'it fetches what is there',
};

describe('what reaches people or spends', () => {
  it('each tool that writes says whether it does, and none that only reads', () => {
    for (const { name, hints, reaches } of ALL_TOOLS) {
      if (hints.readOnly) expect(reaches, `${name} only reads`).to.equal(undefined);
      else expect(reaches, `${name}: add reaches: true or false beside its hints`).to.be.a('boolean');
    }
  });

  it('a tool whose name says it, that asks a language model, or that writes outside, does', () => {
    const quiet = ALL_TOOLS.filter(({ name, category, hints, reaches }) => {
      const outside = hints.openWorld && !hints.readOnly && !(name in ASKS_ONLY);
      return (SAYS_SO.test(name) || category === 'llm' || outside) && reaches !== true;
    });
    expect(quiet.map(({ name }) => name)).to.deep.equal([]);
  });

  it('what only prepares, stops or withdraws does not', () => {
    const loud = ALL_TOOLS.filter(
      ({ name, reaches }) =>
        /^svc_(pause|unschedule|revoke|disconnect|create_workflow$|create_campaign$)/.test(name) && reaches,
    );
    expect(loud.map(({ name }) => name)).to.deep.equal([]);
  });
});
