//! The names that most files of the studies import.

pub(crate) use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write as _},
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

pub(crate) use anyhow::{Context as _, anyhow, bail, ensure};
pub(crate) use clap::{Args, ValueHint};
pub(crate) use serde::{Deserialize, Serialize};

pub(crate) use crate::{
    analysis::watch::AnalysisWatch,
    arena::{
        compared_metrics::{ComparedMetric, ComparedMetrics},
        item_effects::{Estimand, ItemEffectsTally, Stratum, fork::ForkArms},
        metric::{Metric, SeatMetric},
        record::Record,
        run::Experiment,
        schedule::{Rotations, Shard},
        tally::{ALL_SEATS, ItemTally, Tally},
    },
    bots::{BotFactory, profile::BotLibrary},
    bound::BoundGame,
    config::{ConfigError, Document, sha256},
    erased::AnyAction,
    experiments::comparison::ComparisonTally,
    game::{
        Item, ItemCatalog, ItemId, ItemTable, ReportedSeats, Seat, TURN_POSITION_NAMES,
        UNITS_PER_WIN,
    },
    games::{GameEntry, GameList, open_games::RecordedRules},
    report::{
        chart::{IntervalChart, IntervalRow, ReferenceLine},
        csv_format::CsvFormat,
        data_table::{Columns, DataTable, Schema},
        html::{
            Unit, capitalize, format_count, format_percent, group_digits, is_or_are, join_with_and,
        },
        origin::BotDescription,
        provenance::{Claim, Provenance},
        study_page::{difference_chart, difference_unit, effect_estimate, metric_unit},
        study_report::{LabelledSentence, RenderedReport, ReportPlace, StudyReport},
        terminal::{print, print_info},
        text::{TEXT_WIDTH, escape_name, paragraph, truncate},
    },
    run::{
        ExitStatus,
        append_file::PartialFile,
        arguments::{DEFAULT_SEED, GameArguments, GameSelection, RunArguments, build_thread_pool},
        command::RepeatCommand,
        count::{MAX_GAMES, count},
        files::RunFolder,
        lineups::{LineupArguments, LineupResult, count_games_of, lineup_suffix, player_text},
        manifest::{DataSource, GameCounts, RunIdentity},
        margin::{Margin, margin_words},
        names::find_family,
        parts::PartArguments,
        progress_bar::{progress_bar, stop_on_interrupt},
        study_run::StudyRun,
    },
    search::network::Network,
    stats::{
        Merge as _,
        confidence_sequence::ConfidenceSequence,
        flags::{Flag, TestedEffect, test_effects},
        holm::holm_adjust,
        mean::MeanSums,
        paired::Effect,
        ratio::{Estimate, Ratio},
        sprt::Hypotheses,
    },
};
