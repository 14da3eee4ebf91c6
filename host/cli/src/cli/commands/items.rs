//! `myao items`: what was decided, is to be done, is asked or is true, and what became of it.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use chrono::NaiveDate;
use myao_bot::reading::items::{Wanted, changes_json, item_json, name_of, named, only_named};
use myao_bot::reading::links::link_or_id;
use myao_plugin::printable::line;
use myao_plugin::state::Workspace;
use myao_plugin::state::items::{Change, ChangedBy, ItemFilter, ItemId, StoredItem};
use myao_plugin::storage::marks::OPERATOR_ID;
use myao_plugin::ts::TsKey;
use myao_plugin::{ItemKind, ItemState, MessageRef, Place, User, names};
use serde_json::json;

use crate::cli::app::{App, Explained as _};
use crate::cli::args::{ItemsArgs, ItemsCommand, KindArg, ListedItems, SetItem, StateArg};
use crate::cli::dates::{beginning, last_second};
use crate::cli::find::{find_channel, find_user};
use crate::cli::output;

pub(crate) async fn run(app: &App, arguments: &ItemsArgs) -> anyhow::Result<ExitCode> {
    match &arguments.change {
        None => list(app, &arguments.listed).await,
        Some(ItemsCommand::Set(set)) => change(app, set).await,
        Some(ItemsCommand::Undo { item }) => undo(app, item).await,
        Some(ItemsCommand::History { item }) => history(app, item).await,
    }
}

async fn list(app: &App, arguments: &ListedItems) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let view = workspace.view(Place::Operator);
    let channel_id = match &arguments.channel {
        Some(channel) => Some(find_channel(&*view, channel).await?.id),
        None => None,
    };
    let key = |seconds: i64| TsKey::first_of(seconds);
    let filter = ItemFilter {
        channel_id,
        // The whole second counts.
        until: arguments
            .as_of
            .map(|until| key(last_second(app, until).unix_seconds + 1)),
    };
    let wanted = Wanted {
        kinds: arguments.kind.iter().map(|kind| kind_of(*kind)).collect(),
        closed: arguments.all || arguments.since.is_some(),
        owner: arguments.owner.as_deref().map(only_named),
        since: arguments
            .since
            .map(|since| key(beginning(app, since).div_euclid(1000))),
    };
    let mut items = view.items(filter).await.explained()?;
    let is_nothing_known = items.is_empty();
    wanted.choose(&mut items);
    let address = workspace.address().await.explained()?;
    if app.json {
        let time = |seconds| app.local_time(seconds);
        for stored in &items {
            output::print_json_line(&item_json(stored, address.as_deref(), time))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = output::stdout();
    if items.is_empty() {
        let without_model = app.config.agents.memory.model_id.is_none();
        let why = match is_nothing_known {
            true if without_model => {
                "There are no items: no message begins with `decision:` or `todo:`, and the configuration names no model (`agents.memory.model_id`) that would report others."
            }
            true => {
                "There are no items yet: a model reports them with the next memories. For older messages: myao rebuild"
            }
            false => "No such items. `--all` shows those too that are done, dropped or replaced.",
        };
        writeln!(out, "{why}")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut kind = None;
    for stored in &items {
        if kind != Some(stored.id.kind) {
            let blank = if kind.is_some() { "\n" } else { "" };
            writeln!(out, "{blank}{}", heading(stored.id.kind))?;
            kind = Some(stored.id.kind);
        }
        print(&mut out, stored)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(out: &mut impl std::io::Write, stored: &StoredItem) -> std::io::Result<()> {
    let StoredItem { item, .. } = stored;
    let state = (item.state != ItemState::Open).then(|| shown(item.state).to_owned());
    let owner = item
        .owner
        .as_ref()
        .map(|owner| line(&owner.name).into_owned());
    let due = item.due.as_ref().map(|due| format!("due {due}"));
    let (author, at) = (
        line(&item.title.user.name),
        output::time(item.title.timestamp),
    );
    let said = format!("{author} in #{}, {at}", line(&stored.channel_name));
    let parts: Vec<String> = [state, owner, due, Some(said)]
        .into_iter()
        .flatten()
        .collect();
    writeln!(out, "- {}", line(&item.title.text))?;
    writeln!(out, "  {}", parts.join(" · "))?;
    writeln!(out, "  {}", name_of(&stored.id))
}

async fn history(app: &App, item: &str) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let stored = find(&*workspace, item).await?;
    let address = workspace.address().await.explained()?;
    let address = address.as_deref();
    let time = |seconds| app.local_time(seconds);
    if app.json {
        let mut shown = item_json(&stored, address, time);
        if let Some(shown) = shown.as_object_mut() {
            shown.insert("changes".to_owned(), changes_json(&stored, address, time));
        }
        output::print_json(&shown)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = output::stdout();
    print(&mut out, &stored)?;
    writeln!(
        out,
        "  {}",
        link_or_id(&stored.item.title.span.message, address)
    )?;
    for changed in &stored.changes {
        let change = match &changed.change {
            Change::State(state) => shown(*state).to_owned(),
            Change::Owner(Some(owner)) => format!("for {}", line(&owner.name)),
            Change::Owner(None) => "for nobody".to_owned(),
            Change::Due(Some(due)) => format!("due {due}"),
            Change::Due(None) => "due on no day".to_owned(),
        };
        let by = match &changed.by {
            ChangedBy::Person(user) => format!("set by {}", line(&user.name)),
            ChangedBy::Message(ts) => {
                let message = MessageRef {
                    channel_id: stored.id.channel_id.clone(),
                    ts: ts.to_string(),
                };
                link_or_id(&message, address)
            }
        };
        let at = output::time(app.local_time(changed.at.unix_seconds()));
        writeln!(out, "    {at}  {change}: {by}")?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn change(app: &App, set: &SetItem) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let id = id_of(&set.item)?;
    let change = match (&set.part.state, &set.part.owner, &set.part.due) {
        (Some(state), ..) => Change::State(match state {
            StateArg::Open => ItemState::Open,
            StateArg::Done => ItemState::Done,
            StateArg::Dropped => ItemState::Dropped,
        }),
        (_, Some(owner), _) if owner.is_empty() => Change::Owner(None),
        (_, Some(owner), _) => Change::Owner(Some(person(&*workspace, owner).await?)),
        (.., Some(due)) if due.is_empty() => Change::Due(None),
        (.., due) => {
            let due = due.as_deref().unwrap_or_default();
            let day: NaiveDate = due
                .parse()
                .with_context(|| format!("`{due}` is no day: write it as in 2026-08-07"))?;
            Change::Due(Some(day.to_string()))
        }
    };
    let at = TsKey::first_of(app.clock().now().unix_seconds);
    let done = workspace.set_item(id, change, OPERATOR_ID.to_owned(), at);
    done.await.explained()?;
    tell(app, &*workspace, &set.item).await
}

async fn undo(app: &App, item: &str) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let is_undone = workspace.undo_item(id_of(item)?).await.explained()?;
    anyhow::ensure!(is_undone, "no person has changed `{item}`");
    tell(app, &*workspace, item).await
}

/// Shows an item as it is now.
async fn tell(app: &App, workspace: &dyn Workspace, item: &str) -> anyhow::Result<ExitCode> {
    let stored = find(workspace, item).await?;
    if app.json {
        let address = workspace.address().await.explained()?;
        let shown = item_json(&stored, address.as_deref(), |seconds| {
            app.local_time(seconds)
        });
        output::print_json(&json!(shown))?;
    } else {
        print(&mut output::stdout(), &stored)?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn find(workspace: &dyn Workspace, item: &str) -> anyhow::Result<StoredItem> {
    let id = id_of(item)?;
    let filter = ItemFilter {
        channel_id: Some(id.channel_id.clone()),
        until: None,
    };
    let items = workspace
        .view(Place::Operator)
        .items(filter)
        .await
        .explained()?;
    let found = items.into_iter().find(|stored| stored.id == id);
    found.with_context(|| format!("no item `{item}`: `myao items --all` lists them"))
}

fn id_of(item: &str) -> anyhow::Result<ItemId> {
    named(item).with_context(|| {
        format!(
            "`{item}` names no item: `myao items` lists them, as in C0123:1709287200.000100/task"
        )
    })
}

/// Somebody of the workspace.
async fn person(workspace: &dyn Workspace, name: &str) -> anyhow::Result<User> {
    let found = find_user(workspace, name).await?;
    Ok(User {
        id: found.id,
        name: found.name,
        is_bot: found.is_bot,
    })
}

fn kind_of(kind: KindArg) -> ItemKind {
    match kind {
        KindArg::Decision => ItemKind::Decision,
        KindArg::Task => ItemKind::Task,
        KindArg::Question => ItemKind::Question,
        KindArg::Fact => ItemKind::Fact,
    }
}

fn heading(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Decision => "Decisions",
        ItemKind::Task => "Tasks",
        ItemKind::Question => "Questions",
        ItemKind::Fact => "Facts",
    }
}

fn shown(state: ItemState) -> &'static str {
    match state {
        ItemState::Superseded => "replaced",
        ItemState::Unknown => "state not known any more",
        state => names::item_state(state),
    }
}
