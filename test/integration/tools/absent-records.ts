import { CATALOG } from '../../contract/catalog.ts';
import { NOBODY } from './mcp-stage.ts';

/** Types whose parameter has another name: `runId`, `workspaceId`. */
const SHORT: Readonly<Record<string, string>> = { workflowRun: 'run', adminWorkspace: 'workspace' };

/** Parameters that name a record of a type: `leadId`, `leadIds`. Others have a row in `errors/`. */
function fieldsOf(recordType: string): string[] {
  const stem = SHORT[recordType] ?? recordType;
  return [`${stem}Id`, `${stem}Ids`];
}
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
  const problems = Object.values(entry?.result ?? {}).some((type) => type.endsWith('Problem[]'));
  // A tool that tells the problem of each record by itself refuses none: a row in `errors/` meets it.
  const known = entry?.params.map((param) => param.name).filter((name) => !(problems && name.endsWith('Ids'))) ?? [];
  return errors.flatMap(({ recordType = '' }): Absence[] => {
    const field = fieldsOf(recordType).find((name) => known.includes(name));
    if (field === undefined) return [];
    const wrong = { ...(ALONE[tool] === field ? {} : input), [field]: field.endsWith('Ids') ? [NOBODY] : NOBODY };
    return [{ recordType, label: CATALOG.recordTypes[recordType]?.label ?? '', wrong }];
  });
}
