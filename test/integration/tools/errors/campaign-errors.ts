import { CREDITS, CREDITS_TEXT, campaignOf, type ErrorRow, row } from './error-row.ts';

const campaigns: ErrorRow[] = [
  {
    tool: 'svc_update_campaign',
    error: 'wrong state: move not allowed from the current status',
    refused: async (fixture) => {
      const campaignId = await campaignOf(fixture, 'Draft');
      return fixture.acme.refusal('svc_update_campaign', { campaignId, status: 'completed' });
    },
    text: /^A campaign can't go from draft to completed\. Call svc_get_campaign\.$/,
  },
  row(
    'svc_delete_campaign',
    'wrong state: campaign is active; pause it first',
    ({ campaignId }) => ({ campaignId, confirmTitle: 'Diagnosed' }),
    /^The campaign is active; pause it first \(status: paused\)\. Call svc_update_campaign\.$/,
  ),
  {
    tool: 'svc_delete_campaign',
    error: 'confirmTitle differs from the title',
    refused: async (fixture) => {
      const campaignId = await campaignOf(fixture, 'Old');
      return fixture.acme.refusal('svc_delete_campaign', { campaignId, confirmTitle: 'New' });
    },
    text: /^Invalid input: confirmTitle: differs from the title of the campaign\. Call svc_get_campaign/,
  },
];

const QUERY_LIST = 'wrong state: a query list has no manual members';
const IMPORT = 'more than 10,000 rows or no identity column (email, profileUrl, or name + company)';

const leads: ErrorRow[] = [
  row(
    'svc_import_leads_csv',
    IMPORT,
    () => ({ csv: `Email\n${Array.from({ length: 10_001 }, (_, n) => `p${n}@many.example`).join('\n')}\n` }),
    /^Invalid input: csv: .*10,?000/,
  ),
  row(
    'svc_import_leads_csv',
    IMPORT,
    () => ({ csv: 'Title,Town\nCTO,Bonn\n' }),
    /^Invalid input: csv: no column identifies a person .* call svc_import_leads_csv again\.$/,
  ),
  {
    tool: 'svc_enrich_leads',
    error: CREDITS,
    async refused(fixture) {
      const { leadId } = await fixture.acme.call<{ leadId: string }>('svc_upsert_lead', {
        email: 'bo@eastwind.example',
      });
      return fixture.acme.refusal('svc_enrich_leads', { leadIds: [leadId], fields: ['phone'] });
    },
    text: CREDITS_TEXT,
  },
  {
    tool: 'svc_enrich_company',
    error: CREDITS,
    async refused(fixture) {
      await fixture.acme.call('svc_upsert_lead', { email: 'ada@northwind.example', company: 'Northwind' });
      return fixture.acme.refusal('svc_enrich_company', { domain: 'northwind.example' });
    },
    text: CREDITS_TEXT,
  },
  row('svc_queue_leads', CREDITS, () => ({ profileUrls: ['https://www.linkedin.com/in/dana-north'] }), CREDITS_TEXT),
  row(
    'svc_upsert_lead',
    'profile fields of a shared lead cannot be changed; only tags and notes',
    ({ sharedLeadId }) => ({ leadId: sharedLeadId, title: 'CFO' }),
    /^Profile fields of a shared lead cannot be changed, only its tags and notes\. Call svc_get_lead\.$/,
  ),
  row(
    'svc_erase_lead',
    'pool-wide erasure needs a platform admin',
    ({ sharedLeadId }) => ({ leadId: sharedLeadId, reason: 'data_subject_request', keepTombstone: false }),
    /^The lead belongs to the shared pool .* needs a platform admin\. Call svc_admin_erase_subject\. This key lacks the scope admin:write of svc_admin_erase_subject;/,
  ),
  ...['svc_add_leads_to_list', 'svc_remove_leads_from_list'].map((tool) =>
    row(
      tool,
      QUERY_LIST,
      ({ queryListId, sharedLeadId }) => ({ leadListId: queryListId, leadIds: [sharedLeadId] }),
      /^A query list has no manual members\. Call svc_update_lead_list\.$/,
    ),
  ),
  {
    tool: 'svc_delete_lead_list',
    error: 'wrong state: an enabled workflow sources from it',
    refused: async (fixture) => {
      const { staticListId: leadListId, campaignId } = fixture;
      const graph = {
        nodes: [{ nodeType: 'source:lead_list', config: { leadListId } }, { nodeType: 'flow:end' }],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      };
      const made = { campaignId, name: 'Fed', graph };
      const { workflowId } = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', made);
      await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: true });
      return fixture.acme.refusal('svc_delete_lead_list', { leadListId });
    },
    text: /^The enabled workflow "Fed" .* takes its leads from this list\. Disable it first with svc_update_workflow_status\.$/,
  },
];

export const CAMPAIGN_ERRORS: readonly ErrorRow[] = [...campaigns, ...leads];
