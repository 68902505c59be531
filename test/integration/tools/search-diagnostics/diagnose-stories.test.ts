import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { CHECKS, type TargetCheck } from '../../../../pkg/tools/search-diagnostics/checks/check-names.ts';
import { type DiagnoseFixture, startDiagnoseFixture } from '../../../fixtures/tools/diagnose-fixture.ts';
import { CONTENT_STORIES } from '../../../fixtures/tools/diagnose-stories/content-stories.ts';
import { followStory } from '../../../fixtures/tools/diagnose-stories/follow.ts';
import { LEAD_STORIES, MORE_LEAD_STORIES } from '../../../fixtures/tools/diagnose-stories/lead-stories.ts';
import {
  ACCOUNT_STORIES,
  ACTION_STORIES,
  AGENT_STORIES,
  AUTOMATION_STORIES,
  INTEGRATION_STORIES,
  PROVIDER_STORIES,
  WATCH_STORIES,
} from '../../../fixtures/tools/diagnose-stories/outside-stories.ts';
import type { Input, Stage, Stories } from '../../../fixtures/tools/diagnose-stories/story.ts';
import { WORKFLOW_STORIES } from '../../../fixtures/tools/diagnose-stories/workflow-stories.ts';
import { WORKSPACE_STORIES } from '../../../fixtures/tools/diagnose-stories/workspace-stories.ts';

/** Tools that ask for a reason, for the audit log. */
const AUDITED: ReadonlySet<string> = new Set([
  'svc_admin_adjust_credits',
  'svc_admin_resolve_dead_letter',
  'svc_admin_set_send_freeze',
  'svc_admin_update_workspace',
]);

/** A check without a story does not compile. */
const STORIES: Stories = {
  ...WORKSPACE_STORIES,
  ...WORKFLOW_STORIES,
  ...LEAD_STORIES,
  ...INTEGRATION_STORIES,
  ...ACCOUNT_STORIES,
  ...ACTION_STORIES,
  ...AGENT_STORIES,
  ...PROVIDER_STORIES,
  ...AUTOMATION_STORIES,
  ...WATCH_STORIES,
  ...CONTENT_STORIES,
};

// Each check is caused as in life, and then nothing is done but what svc_diagnose says: its tool, with its arguments.
describe('svc_diagnose: advice that is followed literally ends in a healthy state', function () {
  this.timeout(60_000);
  let fixture: DiagnoseFixture;
  const hook = { url: '', status: 200 };
  const receiver = createServer((request, response) =>
    request.resume().on('end', () => response.writeHead(hook.status).end()),
  );
  before(async () => {
    fixture = await startDiagnoseFixture();
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    hook.url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  });
  after(async () => {
    receiver.close();
    await fixture.stop();
  });

  let names = 0;
  const newName = (): string => `Told${++names}`;
  const stage = (): Stage => ({
    fixture,
    hook,
    newName,
    lastName: () => `Told${names}`,
    acme: (name, input = {}) => fixture.acme.call<Input>(name, input),
    boss: (name, input) => fixture.boss.call<Input>(name, AUDITED.has(name) ? { reason: 'test', ...input } : input),
    async somebody(...nodes) {
      const workflowId = await fixture.flow(...nodes);
      const { leads, runs } = await fixture.enrol(workflowId, newName());
      return { leadId: leads[0] ?? '', workflowId, runId: runs[0] ?? '' };
    },
  });
  /** What was advised on the way of each story. */
  const told = new Map<TargetCheck, readonly string[]>();

  for (const [target, checks] of Object.entries(CHECKS)) {
    for (const check of checks) {
      const key = `${target}: ${check}` as TargetCheck;
      it(key, async () => {
        const story = STORIES[key];
        if ('within' in story) {
          expect(told.get(story.within), `the story of ${story.within} meets it`).to.include(check);
          return;
        }
        const steps = await followStory(stage(), story, check);
        told.set(
          key,
          steps.map((step) => step.check),
        );
      });
    }
  }

  for (const [name, { check, story }] of Object.entries(MORE_LEAD_STORIES))
    it(`lead: ${name}`, async () => {
      await followStory(stage(), story, check);
    });

  it('an archived campaign whose workflow is disabled is led back step by step', () => {
    expect(told.get('workflow: campaign_active')).to.deep.equal(['campaign_active', 'enabled', 'hold']);
  });

  it('an empty campaign is given a list, an ICP, scores, and a threshold that somebody reaches', () => {
    expect(told.get('workflow: leads_qualify')).to.have.length(4);
  });
});
