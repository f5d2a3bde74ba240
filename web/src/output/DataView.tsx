import type { Output } from "../core/event.js";
import { assertNever } from "../lib/assert.js";
import { Fields } from "../lib/parse.js";
import { TallBox } from "../ui/TallBox.js";
import { Outside } from "./artifact/Outside.js";
import { StoredView } from "./artifact/StoredView.js";
import { TypesView } from "./artifact/TypesView.js";
import { prefer, preferStored, type Shown, textOf } from "./bundle/prefer.js";
import { HTMLFrame } from "./html/HTMLFrame.js";
import { sizeOfImage } from "./image/imageSize.js";
import { addressOf, ImageView } from "./image/ImageView.js";
import { VectorView } from "./image/VectorView.js";
import { JsonTree } from "./json/JsonTree.js";
import type { LogProps } from "./log/LogView.js";
import { TextView } from "./log/TextView.js";
import { Markdown } from "./markdown/Markdown.js";

interface Props extends Omit<LogProps, "log" | "revision" | "tone"> {
  readonly id: string;
  readonly output: Output;
}

/** A displayed value, in the best of its types. */
export function DataView(props: Props) {
  const { output, ...log } = props;
  const shown = prefer(output.data);
  const stored = preferStored(output);
  if (!shown && !stored) return <TypesView output={output} />;
  const inline = shown && <Boxed {...props} shown={shown} />;
  const { [stored?.type ?? ""]: _, ...others } = output.artifacts ?? {};
  return (
    <>
      {stored ? (
        <StoredView
          stored={stored}
          log={log}
          metadata={output.metadata?.[stored.type]}
          alt={altOf(output, stored.type)}
          before={inline}
          show={(read) => <Boxed {...props} shown={read} />}
        />
      ) : (
        inline
      )}
      <Outside artifacts={others} />
    </>
  );
}

/** Scrolls content that does not scroll by itself. */
function Boxed(props: Props & { readonly shown: Shown }) {
  const {
    shown: { look },
    size,
    label,
    onTall,
  } = props;
  if (look === "text" || look === "image" || look === "svg") return <Look {...props} />;
  return (
    <TallBox size={size} label={label} onTall={onTall}>
      <Look {...props} />
    </TallBox>
  );
}

function Look({ shown: { look, type, value }, id, output, ...props }: Props & { readonly shown: Shown }) {
  const text = textOf(value) ?? "";
  switch (look) {
    case "text":
      return <TextView {...props} text={text} />;
    case "svg":
      return (
        <VectorView
          id={props.size === "full" ? `${id} full` : id}
          type={type}
          svg={text}
          metadata={output.metadata?.[type]}
          alt={altOf(output, type)}
          size={props.size}
          title={props.label}
        />
      );
    case "image":
      return (
        <ImageView
          type={type}
          src={addressOf(type, text)}
          own={sizeOfImage(type, text)}
          metadata={output.metadata?.[type]}
          alt={altOf(output, type)}
          size={props.size}
        />
      );
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

/** Returns the alternative text of a picture: its author's, else the program's plain text. */
function altOf({ data, metadata }: Output, type: string): string {
  const said = new Fields(metadata?.[type]).stringIfAny("alt");
  return said ?? textOf(data?.["text/plain"])?.slice(0, 200) ?? "Picture";
}
