import { addLeadsToList } from './add-leads-to-list.ts';
import { createLeadList } from './create-lead-list.ts';
import { getLeadList } from './get-lead-list.ts';
import { listLeadLists } from './list-lead-lists.ts';

export const leadListTools = [listLeadLists, getLeadList, createLeadList, addLeadsToList];
