import { NO_ENRICHMENT } from '../../providers/enrichment/choose-enrichment.ts';
import { wrongState } from '../errors.ts';
import type { ToolContext } from '../tool-context.ts';

/** @throws UserError where nobody can be asked */
export function requireProvider({ enrichment }: Pick<ToolContext, 'enrichment'>): void {
  if (enrichment && enrichment.providers.length > 0) return;
  const says = NO_ENRICHMENT.charAt(0).toUpperCase() + NO_ENRICHMENT.slice(1);
  throw wrongState(`${says}; a platform admin sets one up`, 'svc_submit_feedback');
}
