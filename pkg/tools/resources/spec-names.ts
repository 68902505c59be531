import { refName } from '../../api/object.ts';
import type { KindName, WorkflowSpec } from '../../api/specs.ts';
import type { Specs } from './resources.ts';

/** Tools know ids, resources know names: the references of a spec as the object's namespace sees them. */
export function withNames<K extends KindName>(kind: K, spec: Specs[K]): Specs[K] {
  if (kind === 'Campaign') {
    const campaign = spec as Specs['Campaign'];
    return { ...campaign, workspaceRef: { name: refName(campaign.workspaceRef.name) } } as Specs[K];
  }
  if (kind === 'Workflow') {
    const workflow = spec as WorkflowSpec;
    return { ...workflow, campaignRef: { name: refName(workflow.campaignRef.name) } } as Specs[K];
  }
  return spec;
}
