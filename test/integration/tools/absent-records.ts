import { CATALOG } from '../../contract/catalog.ts';
import { NOBODY } from './mcp-stage.ts';

/** Parameters that name a record of a type. Others have a row in `errors/`. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  campaign: ['campaignId'],
  persona: ['personaId'],
  phase: ['phaseId'],
  lead: ['leadId', 'leadIds'],
  leadList: ['leadListId'],
  company: ['companyId'],
  icp: ['icpId'],
  workflow: ['workflowId'],
  workflowRun: ['runId'],
  reviewItem: ['reviewItemId'],
  signal: ['signalId'],
  networkAccount: ['networkAccountId', 'networkAccountIds'],
  member: ['memberId'],
  invitation: ['invitationId'],
  apiKey: ['apiKeyId'],
};
/** Parameters that exclude each other: the named one is asked for alone. */
const ALONE: Readonly<Record<string, string>> = { svc_validate_workflow: 'workflowId' };

/** An example with one of its records missing. */
export interface Absence {
  recordType: string;
  /** As the refusal calls it. */
  label: string;
  wrong: object;
}

/** The example with each of its records missing, by the catalog's "not found" errors. */
export function absentOf(tool: string, input: object): Absence[] {
  const entry = CATALOG.tools.find((one) => one.name === tool);
  const errors = (entry?.errors ?? []).filter((error) => error.condition === 'not found');
  const known = entry?.params.map((param) => param.name) ?? [];
  return errors.flatMap(({ recordType = '' }): Absence[] => {
    const field = NAMED[recordType]?.find((name) => known.includes(name));
    if (field === undefined) return [];
    const wrong = { ...(ALONE[tool] === field ? {} : input), [field]: field.endsWith('Ids') ? [NOBODY] : NOBODY };
    return [{ recordType, label: CATALOG.recordTypes[recordType]?.label ?? '', wrong }];
  });
}
