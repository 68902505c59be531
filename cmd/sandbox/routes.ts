import { getAccount, listAccounts } from './api-accounts.ts';
import { endorse } from './api-endorsements.ts';
import {
  getChat,
  isInMail,
  listAttendees,
  listChats,
  listMessages,
  patchChat,
  sendMessage,
  startChat,
} from './api-messaging.ts';
import { createPost } from './api-own-posts.ts';
import { comment, getPost, listComments, listPosts, listReactions, react } from './api-posts.ts';
import { getCompany, search } from './api-search.ts';
import { cancelInvitation, getProfile, listInvitations, listRelations, sendInvitation } from './api-users.ts';
import { createWebhook, deleteWebhook, listWebhooks } from './api-webhooks.ts';
import { type Call, Refusal, type Reply } from './http.ts';
import type { World } from './world.ts';

/** One published endpoint. */
export interface Route {
  method: string;
  /** Segments; `*` stands for any one. */
  path: string;
  /** What faults call it: a budget action, `lookup` or `list`; null: never struck. */
  action: string | null | ((call: Call) => string);
  run(world: World, call: Call): Reply;
}

const visitOrLookup = (call: Call): string => (call.query.get('notify') === 'true' ? 'profile_view' : 'lookup');
const messageOrInMail = (call: Call): string => (isInMail(call) ? 'inmail' : 'message');

/** In order: the first match wins, so fixed segments stand before `*`. Nothing that is not published is here. */
const ROUTES: readonly Route[] = [
  { method: 'GET', path: 'accounts', action: null, run: listAccounts },
  { method: 'GET', path: 'accounts/*', action: null, run: getAccount },
  { method: 'GET', path: 'users/relations', action: 'list', run: listRelations },
  { method: 'GET', path: 'users/invite/sent', action: 'list', run: listInvitations },
  { method: 'POST', path: 'users/invite', action: 'connection_request', run: sendInvitation },
  { method: 'DELETE', path: 'users/invite/sent/*', action: 'withdraw_request', run: cancelInvitation },
  { method: 'GET', path: 'users/*', action: visitOrLookup, run: getProfile },
  { method: 'GET', path: 'users/*/posts', action: 'list', run: listPosts },
  { method: 'POST', path: 'posts', action: 'post', run: createPost },
  { method: 'POST', path: 'posts/reaction', action: 'like', run: react },
  { method: 'GET', path: 'posts/*', action: 'lookup', run: getPost },
  { method: 'GET', path: 'posts/*/reactions', action: 'list', run: listReactions },
  { method: 'POST', path: 'posts/*/comments', action: 'comment', run: comment },
  { method: 'GET', path: 'posts/*/comments', action: 'list', run: listComments },
  { method: 'POST', path: 'linkedin/profile/endorse', action: 'endorse', run: endorse },
  { method: 'GET', path: 'linkedin/company/*', action: 'list', run: getCompany },
  { method: 'POST', path: 'linkedin/search', action: 'search', run: search },
  { method: 'GET', path: 'chats', action: 'list', run: listChats },
  { method: 'POST', path: 'chats', action: messageOrInMail, run: startChat },
  { method: 'GET', path: 'chats/*', action: 'list', run: getChat },
  { method: 'PATCH', path: 'chats/*', action: null, run: patchChat },
  { method: 'GET', path: 'chats/*/messages', action: 'list', run: listMessages },
  { method: 'POST', path: 'chats/*/messages', action: 'message', run: sendMessage },
  { method: 'GET', path: 'chats/*/attendees', action: 'list', run: listAttendees },
  { method: 'GET', path: 'messages', action: 'list', run: listMessages },
  {
    method: 'GET',
    path: 'chat_attendees/*/chats',
    action: 'list',
    run: (world, call) => listChats(world, call, call.path[1] ?? ''),
  },
  { method: 'GET', path: 'webhooks', action: null, run: listWebhooks },
  { method: 'POST', path: 'webhooks', action: 'webhook', run: createWebhook },
  { method: 'DELETE', path: 'webhooks/*', action: null, run: deleteWebhook },
];

/** @throws Refusal for anything that is not published */
export function routeOf(call: Call): Route {
  const known = ROUTES.filter((route) => matches(route.path.split('/'), call.path));
  const route = known.find((candidate) => candidate.method === call.method);
  if (route) return route;
  if (known.length > 0) throw new Refusal(405, 'method_not_allowed', `${call.method} is not possible here`);
  throw new Refusal(404, 'resource_not_found', `there is no ${call.path.join('/').slice(0, 200)}`);
}

/** The name by which faults know this request. */
export function actionOf(route: Route, call: Call): string | null {
  return typeof route.action === 'function' ? route.action(call) : route.action;
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return (
    pattern.length === path.length && pattern.every((segment, index) => segment === '*' || segment === path[index])
  );
}
