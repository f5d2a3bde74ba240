declare module "markdown-it-task-lists" {
  import type { MarkdownIt } from "markdown-it";

  /** Makes list items that begin with [ ] or [x] items of a task list. */
  export default function taskLists(md: MarkdownIt): void;
}
