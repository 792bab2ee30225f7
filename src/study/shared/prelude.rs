//! The names that most files of the studies import.

pub(crate) use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

pub(crate) use anyhow::{Context as _, anyhow, bail, ensure};
pub(crate) use clap::{Args, ValueHint};
pub(crate) use serde::Serialize;

pub(crate) use crate::{
    arena::{
        compared_metrics::ComparedMetrics,
        item_effects::{Estimand, ItemEffectsTally},
        metric::{Metric, SeatMetric},
        record::Record,
        run::Experiment,
        tally::Tally,
    },
    bots::{BotFactory, profile::BotLibrary},
    bound::BoundGame,
    config::{ConfigError, Document, sha256},
    erased::AnyAction,
    game::{Item, ItemCatalog, ItemId, ItemTable, ReportedSeats, Seat, UNITS_PER_WIN},
    games::GameList,
    report::{
        chart::{IntervalChart, IntervalRow, ReferenceLine},
        data_table::{Columns, DataTable, Schema},
        html::{Unit, capitalize, format_count, format_percent, group_digits, join_with_and},
        provenance::Claim,
        study_page::{difference_chart, effect_estimate},
        study_report::{LabelledSentence, ReportPlace, StudyReport},
        terminal::{print, print_info},
        text::{TEXT_WIDTH, paragraph, truncate},
    },
    run::{
        ExitStatus,
        append_file::PartialFile,
        arguments::{GameArguments, GameSelection, build_thread_pool},
        command::RepeatCommand,
        count::count,
        files::RunFolder,
        lineups::{LineupArguments, LineupResult, lineup_suffix, player_text},
        manifest::{DataSource, GameCounts},
        margin::{Margin, margin_words},
        study_run::StudyRun,
    },
    stats::{
        Merge as _,
        flags::{Flag, TestedEffect, test_effects},
        mean::MeanSums,
        paired::Effect,
        ratio::{Estimate, Ratio},
    },
};
