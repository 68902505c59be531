import { Sealer } from '../../../../pkg/base/sealer.ts';
import { openOutside } from '../../../../pkg/engine/calls/outside.ts';
import { templateWriter } from '../../../../pkg/providers/ai/template-writer.ts';
import type { ToolUser } from '../../../tools/mcp-tools.ts';
import { DAY, type EngineStage, HOUR, startEngineStage } from '../../stories/engine-stage.ts';
import { DiagnosisLog } from './diagnosis-log.ts';

export interface Check {
  check: string;
  ok: boolean;
  detail: string;
  nextTool: string | null;
}

export interface Diagnosis {
  healthy: boolean;
  checks: Check[];
  firstBlocker: Check | null;
  nextTool: string | null;
}

/** A workspace at work whose blocks are caused and cleared by public tools, the clock and the simulated network. */
export interface DiagnoseStage extends EngineStage {
  /** An admin of the platform. */
  boss: ToolUser;
  /** What `acme` and `boss` were told by svc_diagnose, and what they did. */
  log: DiagnosisLog;
  campaignId: string;
  /** Diagnoses by a key of `acme`. */
  diagnose(target: string, targetId?: string): Promise<Diagnosis>;
  /** A workflow of the campaign: fed by hand, these nodes in a row, enabled. @returns its id */
  flow(...nodes: object[]): Promise<string>;
  /** A new campaign without limits to its hours. @returns its id */
  campaign(title: string): Promise<string>;
  /** Enrols new people, connections of the account. @returns their ids and those of their runs */
  enrol(workflowId: string, ...names: string[]): Promise<{ leads: string[]; runs: string[] }>;
}

const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };

/** Nodes of workflows. */
export const MESSAGE = { nodeType: 'network:message', config: { textMode: 'static', text: 'Hello' } };
export const WAIT = { nodeType: 'network:wait_reply', config: { timeoutMs: 90 * DAY } };

/** Its writer costs credits, so that a workspace may lack them; integrations may lie on this machine. */
export async function startDiagnoseStage(): Promise<DiagnoseStage> {
  const writer = { ...templateWriter, billable: true };
  const sealer = new Sealer('an installation key of at least 32 characters');
  const stage = await startEngineStage({ ...openOutside({}, sealer), reachOf: () => 'any', writer }, 'acme');
  const { tools } = stage;
  const log = new DiagnosisLog();
  const acme = log.watch(stage.acme);
  const userId = await tools.mcp.user({ admin: true });
  const boss = log.watch(tools.user(await tools.mcp.client((await tools.mcp.key({ userId })).plaintext)));
  const campaign = async (title: string): Promise<string> => {
    const { campaignId } = await acme.call<{ campaignId: string }>('svc_create_campaign', { title });
    const contactPolicy = { minDaysBetweenTouches: 0, recontactAfterDays: 0, dedupeScope: 'campaign' };
    await acme.call('svc_update_campaign', { campaignId, businessHours: ALWAYS, contactPolicy, reviewMode: 'off' });
    return campaignId;
  };
  const campaignId = await campaign('Diagnosed');
  return {
    ...stage,
    acme,
    boss,
    log,
    campaignId,
    campaign,
    diagnose: (target, targetId) => acme.call('svc_diagnose', { target, ...(targetId ? { targetId } : {}) }),
    async flow(...nodes) {
      const graph = {
        nodes: [{ nodeType: 'source:manual' }, ...nodes],
        edges: nodes.map((_node, index) => ({ sourceIndex: index, targetIndex: index + 1 })),
      };
      const made = await acme.call<{ workflowId: string }>('svc_create_workflow', { campaignId, name: 'Flow', graph });
      await acme.call('svc_update_workflow_status', { workflowId: made.workflowId, enabled: true });
      return made.workflowId;
    },
    async enrol(workflowId, ...names) {
      const leads = await stage.people(names);
      const answer = await acme.call<{ runIds: string[] }>('svc_trigger_workflow', { workflowId, leadIds: leads });
      // The account may have acted just now: its pace is not what these tests are about.
      await stage.pass(HOUR);
      return { leads, runs: answer.runIds };
    },
  };
}

/** The checks that failed, by name. */
export function failedOf({ checks }: Diagnosis): Map<string, Check> {
  return new Map(checks.filter((check) => !check.ok).map((check) => [check.check, check]));
}
