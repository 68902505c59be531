import { listConversations } from './list-conversations.ts';
import { listMessages } from './list-messages.ts';

export const inboxTools = [listConversations, listMessages];
