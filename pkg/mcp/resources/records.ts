import type { RecordResource } from './resource.ts';

/** Records that can be read, completed and subscribed to by address. */
export const RECORD_RESOURCES: readonly RecordResource[] = [
  {
    uriTemplate: 'outrider://campaigns/{campaignId}',
    name: 'campaign',
    title: 'Campaign',
    description:
      'One campaign with settings, counts and reconcile status, as svc_get_campaign answers it. Subscribers hear of changes of the campaign itself; its counts are those of the moment of reading.',
    mimeType: 'application/json',
    variable: 'campaignId',
    readTool: 'svc_get_campaign',
    listTool: 'svc_list_campaigns',
    table: 'campaign',
  },
  {
    uriTemplate: 'outrider://workflows/{workflowId}',
    name: 'workflow',
    title: 'Workflow',
    description:
      'One workflow with its graph, version, senders and reconcile status, as svc_get_workflow answers it. Subscribers hear of every change.',
    mimeType: 'application/json',
    variable: 'workflowId',
    readTool: 'svc_get_workflow',
    listTool: 'svc_list_workflows',
    table: 'workflow',
  },
  {
    uriTemplate: 'outrider://notifications/{workspaceId}',
    name: 'notifications',
    title: 'Notifications',
    description:
      'The newest notifications in a workspace, as svc_list_notifications answers them. Subscribers hear when members are told something new.',
    mimeType: 'application/json',
    variable: 'workspaceId',
    readTool: 'svc_list_notifications',
    listTool: 'svc_whoami',
    table: 'notification',
  },
];

/** Addresses are short: ids are `<name>` or `<namespace>.<name>`. */
const LONGEST_URI = 400;

/** The record that an address names. */
export function recordOf(uri: string): { resource: RecordResource; id: string } | undefined {
  if (uri.length > LONGEST_URI) return undefined;
  for (const resource of RECORD_RESOURCES) {
    const [prefix = ''] = resource.uriTemplate.split('{');
    if (!uri.startsWith(prefix)) continue;
    const id = decode(uri.slice(prefix.length));
    if (id !== undefined && id !== '' && !/[/?#]/.test(id)) return { resource, id };
  }
  return undefined;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
