import { assertNever } from "../core/assert.js";
import type { Output } from "../core/event.js";
import { Fields } from "../core/parse.js";
import { HTMLFrame } from "./HTMLFrame.js";
import { ImageView } from "./ImageView.js";
import { JsonTree } from "./JsonTree.js";
import type { LogProps } from "./LogView.js";
import { Markdown } from "./Markdown.js";
import { Outside } from "./Outside.js";
import { prefer, type Shown, textOf } from "./prefer.js";
import { TallBox } from "./TallBox.js";
import { TextView } from "./TextView.js";
import { TypesView } from "./TypesView.js";

interface Props extends Omit<LogProps, "log" | "revision" | "tone"> {
  readonly id: string;
  readonly output: Output;
}

/** What a program displayed, in the best of its types. */
export function DataView(props: Props) {
  const { output, size, label, onTall } = props;
  const shown = prefer(output.data);
  if (!shown) return <TypesView output={output} />;
  const content = <Look {...props} shown={shown} />;
  const scrolls = shown.look === "text" || shown.look === "image" || shown.look === "svg";
  return (
    <>
      {scrolls ? (
        content
      ) : (
        <TallBox size={size} label={label} onTall={onTall}>
          {content}
        </TallBox>
      )}
      <Outside artifacts={output.artifacts} />
    </>
  );
}

function Look({ shown: { look, type, value }, id, output, ...props }: Props & { readonly shown: Shown }) {
  const text = textOf(value) ?? "";
  switch (look) {
    case "text":
      return <TextView {...props} text={text} />;
    case "image":
    case "svg":
      return <ImageView type={type} data={text} metadata={output.metadata?.[type]} alt={altOf(output, type)} size={props.size} />;
    case "html":
    case "javascript":
      return <HTMLFrame id={props.size === "full" ? `${id} full` : id} look={look} source={text} title={props.label} />;
    case "markdown":
      return <Markdown source={text} />;
    case "latex":
      return <Markdown source={text.replace(/^\s*\\\[([^]*)\\\]\s*$/, "$$$$$1$$$$").replace(/^\s*\\\(([^]*)\\\)\s*$/, "$$$1$$")} />;
    case "json":
      return <JsonTree value={value} label={props.label} />;
    default:
      return assertNever(look);
  }
}

/** Returns what a picture is of: as its author says, else as the program prints it. */
function altOf({ data, metadata }: Output, type: string): string {
  const said = new Fields(metadata?.[type]).stringIfAny("alt");
  return said ?? textOf(data?.["text/plain"])?.slice(0, 200) ?? "Picture";
}
