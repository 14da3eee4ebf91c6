//! The limits of Block Kit that a bot may run into: <https://docs.slack.dev/reference/block-kit/blocks>.

use serde_json::Value;

/// Checks the blocks of a message (at most 50) or a view (at most 100).
pub(crate) fn check(blocks: &Value, most: usize) -> Result<(), String> {
    let Some(list) = blocks.as_array() else {
        return Err("blocks: not a list".to_owned());
    };
    if list.len() > most {
        return Err(format!("blocks: {} of them, more than {most}", list.len()));
    }
    for (index, block) in list.iter().enumerate() {
        check_block(block).map_err(|error| format!("blocks/{index}: {error}"))?;
    }
    Ok(())
}

fn check_block(block: &Value) -> Result<(), String> {
    match block["type"].as_str() {
        Some("header") => check_text(&block["text"], 150),
        Some("section") => {
            if block.get("text").is_some() {
                check_text(&block["text"], 3000)?;
            }
            let fields = block["fields"]
                .as_array()
                .map(Vec::as_slice)
                .unwrap_or_default();
            if fields.len() > 10 || (fields.is_empty() && block.get("text").is_none()) {
                return Err(format!("a section with {} fields", fields.len()));
            }
            fields
                .iter()
                .try_for_each(|field| check_text(field, 2000))?;
            match block["accessory"]["type"].as_str() {
                Some("checkboxes") => check_boxes(&block["accessory"]),
                _ => Ok(()),
            }
        }
        Some("context") => match block["elements"].as_array() {
            Some(elements) if (1..=10).contains(&elements.len()) => Ok(()),
            _ => Err("a context needs 1 to 10 elements".to_owned()),
        },
        Some(_) => Ok(()),
        None => Err("no type".to_owned()),
    }
}

fn check_boxes(boxes: &Value) -> Result<(), String> {
    let options = boxes["options"].as_array().map(Vec::as_slice);
    let options = options.unwrap_or_default();
    if !(1..=10).contains(&options.len()) {
        return Err(format!("{} check boxes, not 1 to 10", options.len()));
    }
    if let Some(initial) = boxes["initial_options"].as_array()
        && (initial.is_empty() || initial.iter().any(|option| !options.contains(option)))
    {
        return Err("boxes that are ticked at first are some of the options".to_owned());
    }
    let texts = options.iter().map(|option| &option["text"]);
    texts.into_iter().try_for_each(|text| check_text(text, 75))
}

fn check_text(text: &Value, most: usize) -> Result<(), String> {
    if !matches!(text["type"].as_str(), Some("plain_text" | "mrkdwn")) {
        return Err("a text's type is plain_text or mrkdwn".to_owned());
    }
    let length = text["text"].as_str().unwrap_or_default().chars().count();
    if length == 0 || length > most {
        return Err(format!("a text of {length} characters, not 1 to {most}"));
    }
    Ok(())
}
