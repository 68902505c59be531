import { listConversations } from './list-conversations.ts';
import { listMessages } from './list-messages.ts';
import { sendMessage } from './send-message.ts';

export const inboxTools = [listConversations, listMessages, sendMessage];
