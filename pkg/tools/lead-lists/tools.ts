import { addLeadsToList } from './add-leads-to-list.ts';
import { createLeadList } from './create-lead-list.ts';
import { createQueryLeadList } from './create-query-lead-list.ts';
import { deleteLeadList } from './delete-lead-list.ts';
import { getLeadList } from './get-lead-list.ts';
import { listLeadLists } from './list-lead-lists.ts';
import { removeLeadsFromList } from './remove-leads-from-list.ts';
import { updateLeadList } from './update-lead-list.ts';

export const leadListTools = [
  listLeadLists,
  getLeadList,
  createLeadList,
  createQueryLeadList,
  addLeadsToList,
  removeLeadsFromList,
  updateLeadList,
  deleteLeadList,
];
