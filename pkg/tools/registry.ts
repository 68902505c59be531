import { adminTools } from './admin/tools.ts';
import { automationTools } from './automations/tools.ts';
import { campaignTools } from './campaigns/tools.ts';
import { companyTools } from './companies/tools.ts';
import { competitorTools } from './competitors/tools.ts';
import { contentTools } from './content/tools.ts';
import { craftTools } from './craft/tools.ts';
import { enrichmentTools } from './enrichment/tools.ts';
import { icpTools } from './icps/tools.ts';
import { inboxTools } from './inbox/tools.ts';
import { integrationTools } from './integrations/tools.ts';
import { leadListTools } from './lead-lists/tools.ts';
import { leadTools } from './leads/tools.ts';
import { metricsBillingTools } from './metrics-billing/tools.ts';
import { networkAccountTools } from './network-accounts/tools.ts';
import { notificationTools } from './notifications/tools.ts';
import { outreachTools } from './outreach/tools.ts';
import { personaPhaseTools } from './personas-phases/tools.ts';
import { providerServiceTools } from './provider-services/tools.ts';
import { searchDiagnosticsTools } from './search-diagnostics/tools.ts';
import { searchWatchTools } from './search-watches/tools.ts';
import { signalAgentTools } from './signal-agents/tools.ts';
import { signalExclusionTools } from './signal-exclusions/tools.ts';
import { signalTools } from './signals/tools.ts';
import { splitOptimizationTools } from './split-optimization/tools.ts';
import type { AnyTool } from './tool.ts';
import { workflowExecutionTools } from './workflow-execution/tools.ts';
import { workflowNodeTools } from './workflow-nodes/tools.ts';
import { workflowReviewTools } from './workflow-review/tools.ts';
import { workflowTools } from './workflows/tools.ts';
import { workspaceTools } from './workspace/tools.ts';

/** Every tool that works, in the order of tools/list: by domain as the specification lists them. */
export const ALL_TOOLS: readonly AnyTool[] = [
  ...campaignTools,
  ...personaPhaseTools,
  ...leadTools,
  ...leadListTools,
  ...companyTools,
  ...icpTools,
  ...enrichmentTools,
  ...workflowTools,
  ...workflowExecutionTools,
  ...workflowNodeTools,
  ...workflowReviewTools,
  ...splitOptimizationTools,
  ...craftTools,
  ...outreachTools,
  ...inboxTools,
  ...contentTools,
  ...signalTools,
  ...signalAgentTools,
  ...signalExclusionTools,
  ...competitorTools,
  ...searchWatchTools,
  ...networkAccountTools,
  ...providerServiceTools,
  ...integrationTools,
  ...automationTools,
  ...workspaceTools,
  ...metricsBillingTools,
  ...notificationTools,
  ...searchDiagnosticsTools,
  ...adminTools,
];
