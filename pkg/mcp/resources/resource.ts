import type { AnyTool } from '../../tools/tool.ts';

/** A resource whose text is the same for every caller. */
export interface StaticResource {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
  text: (tools: ReadonlyMap<string, AnyTool>) => string;
}

/** Records as resources: the id in the address is the parameter of a tool that reads the record. */
export interface RecordResource {
  /** RFC 6570, one variable at the end. */
  uriTemplate: string;
  name: string;
  title: string;
  description: string;
  mimeType: 'application/json';
  /** Name of the variable and of the tool's parameter. */
  variable: string;
  readTool: string;
  /** Limits and scope of completions are those of this tool. */
  listTool: string;
  /** Table of its rows; those of `notification` are told together, by workspace. */
  table: 'campaign' | 'workflow' | 'notification';
}
